import DocumentStore
import Testing

@Suite("Field paths")
struct FieldPathTests {
    @Test(
        "A dotted or quoted field path is parsed and written back unchanged",
        arguments: [
            ("a", ["a"]), ("a.b_1.C", ["a", "b_1", "C"]), ("a.`b c`", ["a", "b c"]), ("`a.b`", ["a.b"]),
            ("`\\``.`\\\\`", ["`", "\\"]), ("`1`", ["1"]), ("`é`.x", ["é", "x"]), ("__name__", ["__name__"]),
        ])
    func parsing(text: String, segments: [String]) throws {
        let path = try FieldPath(parsing: text)
        #expect(path.segments == segments)
        #expect(path.description == text)
    }

    @Test(
        "An invalid field path is refused",
        arguments: ["", ".", "a.", ".a", "a..b", "1a", "a b", "`a", "``", "`a`b", "é", "`a\\"])
    func refusals(text: String) async {
        await expectError(.invalidArgument) { try FieldPath(parsing: text) }
    }

    @Test("A string literal is a field path of one segment, even with dots")
    func literals() {
        let path: FieldPath = "a.b"
        #expect(path.segments == ["a.b"])
        #expect(path == FieldPath("a.b"))
        #expect(FieldPath.documentName == "__name__")
    }
}
