import Testing

@testable import DocumentStore

@Suite("Prepared writes")
struct PreparedWriteTests {
    private func mask(_ names: [String]) throws -> [FieldPath]? {
        let write = Write.merge(
            try DocumentPath("t/d"), ["a": .integer(1)], mask: names.map { FieldPath(segments: [$0, "x"]) })
        guard case .merge(_, let mask) = try PreparedWrite(write).write.operation else { return nil }
        return mask
    }

    @Test("A path that a long mask repeats sets its value once, and the order of the others is kept")
    func repeatedPaths() throws {
        let names = (0..<100).map { "f\($0)" }
        let repeated = Array(repeating: "f3", count: 10_000)
        let distinct = names.map { FieldPath(segments: [$0, "x"]) }
        #expect(try mask(names + repeated) == distinct)
        #expect(try mask(names) == distinct)
        #expect(try mask(repeated)?.count == 1)
    }

    @Test("A write without a mask gets none")
    func withoutMask() throws {
        let write = Write.merge(try DocumentPath("t/d"), ["a": .integer(1)])
        guard case .merge(_, let mask) = try PreparedWrite(write).write.operation else {
            Issue.record("the write is another one")
            return
        }
        #expect(mask == nil)
    }
}
