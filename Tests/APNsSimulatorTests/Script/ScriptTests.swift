import Testing

@testable import APNsSimulator

@Suite("Scripts")
struct ScriptTests {
    private func statuses(_ script: inout Script, _ token: String, _ count: Int) -> [Int?] {
        (0..<count).map { _ in script.takeAnswer(for: token)?.status }
    }

    @Test("Steps are used up in order, each as often as it says")
    func order() {
        var script = Script()
        script.append([.rejecting(.serviceUnavailable, count: 2), .rejecting(.unregistered)], for: "ab")
        #expect(statuses(&script, "ab", 5) == [503, 503, 410, nil, nil])
        #expect(script.isEmpty)
    }

    @Test("A step without a count stays for good")
    func forEver() {
        var script = Script()
        script.append([.rejecting(.unregistered, count: nil), .rejecting(.badDeviceToken)], for: "ab")
        #expect(statuses(&script, "ab", 3) == [410, 410, 410])
    }

    @Test("A step with a count of 0 is no step")
    func never() {
        var script = Script()
        script.append([.rejecting(.unregistered, count: 0)], for: "ab")
        #expect(script.takeAnswer(for: "ab") == nil)
    }

    @Test("Steps for a token leave other tokens alone, and go before those for all")
    func perToken() {
        var script = Script()
        script.append([.rejecting(.tooManyRequests)], for: nil)
        script.append([.rejecting(.unregistered)], for: "AB")
        #expect(statuses(&script, "ab", 3) == [410, 429, nil])
        script.append([.rejecting(.unregistered)], for: "ab")
        #expect(statuses(&script, "cd", 2) == [nil, nil])
    }

    @Test("Steps that are appended come after those there are; removing takes one token's steps only")
    func appendAndRemove() {
        var script = Script()
        script.append([.rejecting(.unregistered)], for: "ab")
        script.append([.rejecting(.badTopic)], for: "ab")
        script.append([.rejecting(.shutdown)], for: nil)
        #expect(script.remaining.map(\.token) == ["ab", nil])
        #expect(script.remaining.first?.answers.map(\.reason) == ["Unregistered", "BadTopic"])
        script.removeAnswers(for: "AB")
        #expect(statuses(&script, "ab", 2) == [503, nil])
    }
}
