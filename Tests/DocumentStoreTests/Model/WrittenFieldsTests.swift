import DocumentStore
import JSON
import Testing

@Suite("Fields of a document as a person writes them")
struct WrittenFieldsTests {
    private func fields(_ text: String, _ form: WrittenFields.Form = .recognized) throws -> JSONValue {
        .object(try WrittenFields.fields(text.utf8, form: form))
    }

    private func error(_ text: String, _ form: WrittenFields.Form = .recognized) -> String? {
        do {
            _ = try WrittenFields.fields(text.utf8, form: form)
            return nil
        } catch {
            return String(describing: error)
        }
    }

    @Test("Plain JSON becomes values with the types that it has")
    func plain() throws {
        let text = #"{"name":"x","count":3,"ratio":0.5,"isOn":true,"none":null,"list":[1,{"a":"b"}],"map":{"c":[]}}"#
        #expect(
            try fields(text) == [
                "name": ["stringValue": "x"], "count": ["integerValue": "3"], "ratio": ["doubleValue": 0.5],
                "isOn": ["booleanValue": true], "none": ["nullValue": nil],
                "list": [
                    "arrayValue": [
                        "values": [
                            ["integerValue": "1"], ["mapValue": ["fields": ["a": ["stringValue": "b"]]]],
                        ]
                    ]
                ],
                "map": ["mapValue": ["fields": ["c": ["arrayValue": ["values": []]]]]],
            ])
        #expect(try fields("{}") == [:])
        #expect(try fields(#"{"name":"x","createTime":"today"}"#)["createTime"] == ["stringValue": "today"])
    }

    @Test(
        "Firestore's JSON is recognized, alone and as a document that was read",
        arguments: [
            #"{"a":{"integerValue":"1"}}"#, #"{"fields":{"a":{"integerValue":"1"}}}"#,
            #"{"name":"projects/p/databases/d/documents/a/b","fields":{"a":{"integerValue":"1"}},"updateTime":"t"}"#,
        ])
    func typed(text: String) throws {
        #expect(try fields(text) == ["a": ["integerValue": "1"]])
        #expect(try fields(text, .typed) == ["a": ["integerValue": "1"]])
    }

    @Test("A document without fields that was read is written without fields")
    func empty() throws {
        #expect(try fields(#"{"fields":{}}"#) == [:])
        let read = #"{"name":"projects/p/databases/d/documents/a/b","createTime":"t","updateTime":"t"}"#
        #expect(try fields(read) == [:])
        #expect(try fields(#"{"name":"projects/website"}"#) == ["name": ["stringValue": "projects/website"]])
    }

    @Test("A text that may be of both forms is refused unless its form is named")
    func doubt() throws {
        for text in [
            #"{"a":{"stringValue":"x"},"b":"y"}"#, #"{"user":{"since":{"timestampValue":"2026-01-01T00:00:00Z"}}}"#,
            #"{"list":[{"stringValue":"x"}]}"#,
        ] {
            #expect(error(text)?.contains("has a type of Firestore's JSON") == true, "\(text)")
            #expect(error(text, .plain) == nil)
        }
        #expect(error(#"{"user":{"since":{"timestampValue":"x"}}}"#)?.hasPrefix("user.since has a type") == true)
        #expect(error(#"{"list":[1,{"stringValue":"x"}]}"#)?.hasPrefix("list[1] has a type") == true)
        #expect(error(#"{"fields":{"a":"x"}}"#)?.contains("they have no types") == true)
        #expect(error(#"{"fields":{"a":"x"}}"#, .plain) == nil)
        #expect(error(#"{"name":"x"}"#, .typed)?.hasPrefix("the field name has no type") == true)
        #expect(error(#"{"fields":{"a":{"stringvalue":"x"}}}"#, .typed)?.hasPrefix("the field a has no type") == true)
    }

    @Test("A text that is no document is refused with the place")
    func places() {
        #expect(
            error("{\n  \"é\": 1,\n  \"b\" 2\n}")
                == "the document is not JSON: an unexpected character, in line 3, column 7")
        #expect(error(#"{"a":1"#) == "the document is not JSON: the text ends too early, in line 1, column 7")
        #expect(error(#"{"a":1,"a":2}"#)?.contains("a name that occurs twice") == true)
        #expect(error("[]") == "the document is not a JSON object, such as {\"name\":\"x\"}")
        #expect(error(#"{"a":{"b":[1,[2]]}}"#) == "a.b[1] is an array in an array, which a document cannot have")
    }
}
