import Testing

@testable import DocumentStore

@Suite("Reports of failing writes")
struct WriteTroublesTests {
    private let start = ContinuousClock.now

    @Test("Failing writes are reported at once, then every 30 seconds with a count, and at their end")
    func reports() {
        var troubles = WriteFailureLog()
        #expect(troubles.succeeded(at: start) == nil)
        #expect(troubles.failed(commits: 2, at: start) == .failing(commits: 2))
        #expect(troubles.failed(commits: 3, at: start + .seconds(1)) == nil)
        #expect(troubles.failed(commits: 4, at: start + .seconds(30)) == .failing(commits: 7))
        #expect(troubles.failed(commits: 1, at: start + .seconds(31)) == nil)
        #expect(troubles.succeeded(at: start + .seconds(40)) == .working(after: .seconds(40)))
        #expect(troubles.succeeded(at: start + .seconds(41)) == nil)
        // Large commits fail and small ones succeed. The report still comes at most every 30 seconds.
        #expect(troubles.failed(commits: 5, at: start + .seconds(42)) == nil)
        #expect(troubles.succeeded(at: start + .seconds(43)) == nil)
        #expect(troubles.failed(commits: 1, at: start + .seconds(60)) == .failing(commits: 7))
    }
}
