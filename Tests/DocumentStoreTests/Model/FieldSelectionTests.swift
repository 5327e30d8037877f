import DocumentStore
import Testing

@Suite("Selections of fields")
struct FieldSelectionTests {
    fileprivate static let fields: Fields = [
        "a": .integer(1), "b": .string("x"),
        "m": .map(["x": .null, "y": .map(["z": .boolean(true), "w": .boolean(false)]), "none": .map([:])]),
        "v": .vector([1, 2]), "é": .integer(2),
    ]

    private func parts(_ paths: [[String]]) -> Fields {
        FieldSelection(paths.map { FieldPath(segments: $0) }).parts(of: Self.fields)
    }

    @Test(
        "A selection has the values at its paths, and nothing else",
        arguments: [
            ([], [:]), ([["a"]], ["a": .integer(1)]), ([["none"], ["a", "b"], ["m", "x", "z"]], [:]),
            ([["m", "y", "z"]], ["m": .map(["y": .map(["z": .boolean(true)])])]),
            ([["m", "none"]], ["m": .map(["none": .map([:])])]), ([["m", "none", "x"]], [:]),
            ([["m"], ["m", "x"]], ["m": Self.fields["m"] ?? .null]),
            ([["m", "x"], ["m"]], ["m": Self.fields["m"] ?? .null]),
            ([["__name__"], ["b"]], ["b": .string("x")]), ([["e\u{301}"]], [:]),
            ([["v", "value"]], [:]), ([[]], [:]),
        ] as [([[String]], Fields)])
    func selections(paths: [[String]], expected: Fields) {
        #expect(parts(paths) == expected)
    }

    @Test("The names that a document lacks do not change a selection, however many they are")
    func manyNames() {
        let names = (0..<40_000).map { ["f\($0)"] } + (0..<40_000).map { ["m", "f\($0)"] }
        #expect(parts(names) == [:])
        #expect(parts(names + [["a"], ["m", "x"]]) == ["a": .integer(1), "m": .map(["x": .null])])
    }

    @Test("A path that is deeper than documents are selects nothing")
    func deep() {
        #expect(parts([Array(repeating: "m", count: 1_000_000)]) == [:])
    }
}
