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
        arguments: ["", ".", "a.", ".a", "a..b", "1a", "a b", "`a", "``", "`a`b", "é", "`a\\", "`\\x`"])
    func refusals(text: String) async {
        let error = await expectError(.invalidArgument) { try FieldPath(parsing: text) }
        let pattern = #"([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex (`(?:[^`\\]|(?:\\.))+`)"#
        #expect(
            error?.message
                == (text.isEmpty
                    ? "Invalid empty property path string."
                    : "Invalid property path \"\(text)\". Unquoted property paths must match regex \(pattern)"))
    }

    @Test("A string literal is a field path of one segment, even with dots")
    func literals() {
        let path: FieldPath = "a.b"
        #expect(path.segments == ["a.b"])
        #expect(path == FieldPath("a.b"))
        #expect(FieldPath.documentName == "__name__")
    }
}
