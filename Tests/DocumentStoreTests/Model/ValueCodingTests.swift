import JSON
import Testing

@testable import DocumentStore

@Suite("Encoding of values")
struct ValueCodingTests {
    private static let examples: [(Value, String)] = [
        (.null, #"{"nullValue":null}"#),
        (.boolean(true), #"{"booleanValue":true}"#),
        (.integer(.min), #"{"integerValue":"-9223372036854775808"}"#),
        (.double(5), #"{"doubleValue":5.0}"#),
        (.double(-0.0), #"{"doubleValue":-0.0}"#),
        (.double(.infinity), #"{"doubleValue":"Infinity"}"#),
        (.double(-.infinity), #"{"doubleValue":"-Infinity"}"#),
        (.timestamp(Timestamp(microseconds: 0)), #"{"timestampValue":"1970-01-01T00:00:00.000000Z"}"#),
        (.string("a\"\\\n\u{7F}é😀"), #"{"stringValue":"a\"\\\n\#u{7F}é😀"}"#),
        (.bytes([0xFB, 0xFF]), #"{"bytesValue":"+/8="}"#),
        (
            .reference("projects/p/databases/d/documents/a/b"),
            #"{"referenceValue":"projects/p/databases/d/documents/a/b"}"#
        ),
        (.geoPoint(latitude: 1.5, longitude: -2), #"{"geoPointValue":{"latitude":1.5,"longitude":-2.0}}"#),
        (.array([]), #"{"arrayValue":{}}"#),
        (.array([.null, .boolean(false)]), #"{"arrayValue":{"values":[{"nullValue":null},{"booleanValue":false}]}}"#),
        (.map([:]), #"{"mapValue":{}}"#),
        (
            .map(["b": .null, "a": .integer(1)]),
            #"{"mapValue":{"fields":{"a":{"integerValue":"1"},"b":{"nullValue":null}}}}"#
        ),
    ]

    @Test("Values are encoded in Firestore's JSON, on the wire and in the file", arguments: examples)
    func encoding(value: Value, text: String) throws {
        #expect(value.json.text == text)
        #expect(try Value(json: JSONValue(parsing: text)) == value)
        #expect(String(decoding: FieldsEncoder.encode(["f": value]), as: UTF8.self) == #"{"f":\#(text)}"#)
        #expect(try FieldsDecoder.decode(#"{"f":\#(text)}"#) == ["f": value])
    }

    @Test("Stored fields are ordered by the bytes of their names, at any count", arguments: [2, 40, 300])
    func order(count: Int) {
        let names = (0..<count).map { "\(["a", "é", "B", "\u{FFFD}", "😀"][$0 % 5])\($0)" }
        let fields = Fields(names.map { ($0, .null) })
        let members = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.map {
            "\"\($0)\":{\"nullValue\":null}"
        }
        #expect(String(decoding: FieldsEncoder.encode(fields), as: UTF8.self) == "{\(members.joined(separator: ","))}")
    }

    @Test("NaN is encoded as text and decoded as NaN")
    func notANumber() throws {
        let text = #"{"doubleValue":"NaN"}"#
        #expect(Value.double(.nan).json.text == text)
        for value in [try Value(json: JSONValue(parsing: text)), try FieldsDecoder.decode(#"{"f":\#(text)}"#)["f"]] {
            guard case .double(let number) = value else {
                Issue.record("\(String(describing: value)) is not a double")
                continue
            }
            #expect(number.isNaN)
        }
    }

    @Test("Negative zero is decoded as negative zero")
    func negativeZero() throws {
        guard case .double(let zero) = try FieldsDecoder.decode(#"{"f":{"doubleValue":-0.0}}"#)["f"] else {
            Issue.record("the value is not a double")
            return
        }
        #expect(zero.sign == .minus)
    }

    @Test(
        "Alternative spellings of a value by clients are decoded",
        arguments: [
            (#"{"integerValue":5}"#, .integer(5)), (#"{"doubleValue":5}"#, .double(5)),
            (#"{"doubleValue":"2.5"}"#, .double(2.5)),
            (
                #"{"timestampValue":"2024-05-01T14:00:00+02:00"}"#,
                .timestamp(Timestamp(microseconds: 1_714_564_800_000_000))
            ),
            (#"{"bytesValue":"-_8"}"#, .bytes([0xFB, 0xFF])),
            (#"{"geoPointValue":{}}"#, .geoPoint(latitude: 0, longitude: 0)),
            (#"{"arrayValue":{"values":[]}}"#, .array([])), (#"{"mapValue":{"fields":{}}}"#, .map([:])),
        ] as [(String, Value)])
    func leniency(text: String, value: Value) throws {
        #expect(try Value(json: JSONValue(parsing: text)) == value)
    }

    @Test(
        "Invalid JSON for a value is refused",
        arguments: [
            "null", "{}", #"{"stringValue":"a","integerValue":"1"}"#, #"{"textValue":"a"}"#, #"{"stringValue":1}"#,
            #"{"integerValue":"1.5"}"#, #"{"integerValue":9223372036854775808}"#, #"{"booleanValue":"true"}"#,
            #"{"doubleValue":"much"}"#, #"{"timestampValue":"yesterday"}"#, #"{"bytesValue":"a"}"#,
            #"{"bytesValue":"a b="}"#,
            #"{"arrayValue":[]}"#, #"{"arrayValue":{"values":{}}}"#, #"{"mapValue":{"fields":[]}}"#,
            #"{"geoPointValue":1}"#,
        ])
    func refusals(text: String) async throws {
        let json = try JSONValue(parsing: text)
        await expectError(.invalidArgument) { try Value(json: json) }
    }

    @Test("A decoding error names the field")
    func naming() async throws {
        let json = try JSONValue(parsing: #"{"outer":{"mapValue":{"fields":{"inner":{"stringValue":1}}}}}"#)
        let error = await expectError(.invalidArgument) { try Fields(json: json) }
        #expect(error?.message == #"field "outer": field "inner": stringValue must be a string"#)
    }

    @Test("Bytes of every length survive encoding and decoding")
    func bytes() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test("Stored texts keep U+0000 and U+0001 and their order, without a zero byte")
    func storedStrings() throws {
        let texts = [
            "", "\u{0}", "\u{0}\u{0}", "\u{0}a", "\u{1}", "\u{1}\u{2}", "\u{2}", "a", "a\u{0}", "a\u{1}", "aa",
        ]
        let stored = texts.map(StoredString.escape)
        #expect(stored.map(StoredString.unescape) == texts)
        #expect(stored.allSatisfy { !$0.utf8.contains(0) })
        #expect(zip(stored, stored.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for text in texts {
            let json = String(decoding: FieldsEncoder.encode([text: .string(text)]), as: UTF8.self)
            #expect(try FieldsDecoder.decode(json) == [text: .string(text)])
        }
    }

    @Test(
        "Damaged stored fields are detected",
        arguments: [
            "", "{", "[]", "{}x", #"{"a"}"#, #"{"a":1}"#, #"{"a":{"stringValue":"x"}"#, #"{"a":{"stringValue":"x"#,
            #"{"a":{"textValue":"x"}}"#, #"{"a":{"integerValue":"x"}}"#, #"{"a":{"stringValue":"\q"}}"#, #"{"a":{}}"#,
            #"{"a":{"arrayValue":{"values":[{"nullValue":null}"#, #"{"a":{"booleanValue":maybe}}"#, "{\"a\\",
        ])
    func damage(text: String) {
        #expect(throws: FieldsDecoder.Malformed.self) { try FieldsDecoder.decode(text) }
    }

    @Test("Stored fields edited by hand, with spaces and another order, are decoded")
    func mended() throws {
        let text =
            #" { "b" : {"stringValue" : "\u0041\/\ud83d\ude00"}, "a":{"geoPointValue":{"longitude":1,"latitude":2e0}} } "#
        #expect(
            try FieldsDecoder.decode(text) == ["b": .string("A/😀"), "a": .geoPoint(latitude: 2, longitude: 1)])
    }

    @Test("A document's JSON contains its name, fields and times")
    func document() throws {
        let document = Document(
            path: try DocumentPath("a/b"), fields: ["n": .integer(1)], createTime: Timestamp(microseconds: 0),
            updateTime: Timestamp(microseconds: 1))
        #expect(
            document.json == [
                "name": "projects/pushgate/databases/(default)/documents/a/b", "fields": ["n": ["integerValue": "1"]],
                "createTime": "1970-01-01T00:00:00.000000Z", "updateTime": "1970-01-01T00:00:00.000001Z",
            ])
    }
}
