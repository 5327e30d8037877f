import Functions
import JSON
import Testing

@testable import Console

@Suite("Fields of documents in the console")
struct DocumentFieldsTests {
    @Test("A tree has types, values, what is below maps and arrays, and links to references")
    func tree() throws {
        let fields: JSONObject = [
            "text": ["stringValue": "<b>"], "count": ["integerValue": "12"], "on": ["booleanValue": true],
            "none": ["nullValue": .null], "bytes": ["bytesValue": "AAEC"],
            "map": ["mapValue": ["fields": ["inner": ["doubleValue": 1.5]]]],
            "list": ["arrayValue": ["values": [["stringValue": "x"]]]],
            "own": ["referenceValue": "projects/pushgate/databases/(default)/documents/a/b"],
            "other": ["referenceValue": "projects/p/databases/d/documents/a/b/c/d"],
        ]
        let tree = DocumentFields().tree(of: fields).description
        for part in [
            "<strong>text</strong> <span class=\"type\">string</span> <span class=\"value\">&lt;b&gt;</span>",
            "<span class=\"type\">whole number</span> <span class=\"value\">12</span>",
            "<span class=\"type\">true or false</span> <span class=\"value\">true</span>", "3 bytes",
            "<summary>map <span class=\"type\">map, 1 field</span></summary>", "<strong>inner</strong>",
            "<span class=\"type\">array, 1 value</span>", "<strong>0</strong>",
            "<a href=\"/console/documents?path=a/b\">a/b</a>",
            "<a href=\"/console/documents?database=p/d&amp;path=a/b/c/d\">a/b/c/d</a>",
        ] { #expect(tree.contains(part), "\(part)") }
        #expect(DocumentFields().tree(of: [:]).description == "<p>It has no fields.</p>")
    }

    @Test("Columns are the fields that most documents have, at most four")
    func columns() {
        func document(_ names: String...) -> JSONObject {
            JSONObject(names.map { (name: $0, value: JSONValue.object(["integerValue": "1"])) })
        }
        #expect(DocumentFields.columns(for: []) == [])
        #expect(DocumentFields.columns(for: [document("a", "b"), nil, document("c", "b")]) == ["b", "a", "c"])
        #expect(DocumentFields.columns(for: [document("a", "b", "c", "d", "e")]) == ["a", "b", "c", "d"])
    }

    @Test("Values in a table are short")
    func short() {
        let fields = DocumentFields()
        #expect(fields.short(["stringValue": .string(String(repeating: "a", count: 61))]).description.count == 61)
        #expect(fields.short(["mapValue": ["fields": ["a": ["nullValue": .null]]]]).description == "{1}")
        #expect(fields.short(["arrayValue": [:]]).description == "[0]")
        #expect(fields.short(nil).description.isEmpty && fields.short(["nullValue": .null]).description == "null")
    }

    @Test(
        "A value that people write is read as what it looks like",
        arguments: [
            ("12", #"{"integerValue":"12"}"#), ("-1.5", #"{"doubleValue":-1.5}"#), ("true", #"{"booleanValue":true}"#),
            ("2026-01-31T12:00:00Z", #"{"timestampValue":"2026-01-31T12:00:00.000000Z"}"#),
            ("nan", #"{"stringValue":"nan"}"#), ("a b", #"{"stringValue":"a b"}"#), ("", #"{"stringValue":""}"#),
            (#""12""#, #"{"stringValue":"12"}"#),
        ])
    func values(text: String, json: String) throws {
        let expected = try JSONValue(parsing: json)
        #expect(DocumentFilter.value(text) == expected)
    }
}
