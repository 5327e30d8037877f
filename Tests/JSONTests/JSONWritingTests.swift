import JSON
import TestDoubles
import Testing

@Suite("JSON values as text")
struct JSONWritingTests {
    @Test("A JSON value as compact text keeps the order of members and escapes only the required characters")
    func compact() {
        let value: JSONValue = ["b": ["é😀/", 1, -2.5, nil, true], "a": [:], "c": "\"\\\n\r\t\u{1}\u{1F}\u{7F}"]
        #expect(
            value.text
                == #"{"b":["é😀/",1,-2.5,null,true],"a":{},"c":"\"\\\n\r\t\u0001\u001f"# + "\u{7F}\"}")
    }

    @Test("A JSON value as pretty text has an indent of two spaces per level")
    func pretty() {
        let value: JSONValue = ["a": [1, ["b": []]]]
        #expect(value.prettyText == "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ]\n}")
    }

    @Test("NaN and infinity become null in JSON text")
    func notFinite() {
        #expect(JSONValue.array([.double(.nan), .double(.infinity)]).text == "[null,null]")
    }

    /// Escapes the text character by character, as RFC 8259 §7 requires.
    private func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case "\0"..."\u{F}": "\\u000" + String(scalar.value, radix: 16)
            case "\u{10}"..."\u{1F}": "\\u00" + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }.joined()
    }

    @Test(
        "The JSON writer escapes the required characters at any position and no others",
        arguments: ["", "a", "é", "plain text, long"])
    func escapes(around: String) {
        for value in UInt32(0)..<0x110 {
            let scalar = Unicode.Scalar(value).map(String.init) ?? ""
            for text in [scalar + around, around + scalar, around + scalar + around, scalar + scalar + around + scalar]
            {
                var bytes: [UInt8] = []
                JSONValue.writeString(text, to: &bytes)
                #expect(String(decoding: bytes, as: UTF8.self) == "\"\(escaped(text))\"")
            }
        }
    }

    @Test("The JSON writer escapes a text of any length", arguments: [170, 171, 1_023, 1_024, 1_025, 5_000])
    func longText(length: Int) {
        for part in ["\"", "\u{1}", "a\"", "seven\\n", "a word and a \u{1F}"] {
            for start in ["", "x", "four", "\u{2}"] {
                let text = start + String(String(repeating: part, count: length).prefix(length))
                var bytes: [UInt8] = []
                JSONValue.writeString(text, to: &bytes)
                #expect(String(decoding: bytes, as: UTF8.self) == "\"\(escaped(text))\"")
            }
        }
    }

    @Test("A random JSON value survives writing and parsing", arguments: [UInt64(1), 2, 3, 4])
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let value = JSONValue.random(depth: 4, using: &generator)
            #expect(try JSONValue(parsing: value.serialized) == value)
            #expect(try JSONValue(parsing: value.prettyText) == value)
        }
    }
}

extension JSONValue {
    fileprivate static func random(depth: Int, using generator: inout some RandomNumberGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .integer(.random(in: .min ... .max, using: &generator))
        case 3: .double(.random(in: -1e9...1e9, using: &generator))
        case 4: .string(randomString(using: &generator))
        case 5, 6:
            .array((0..<3).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            .object(
                JSONObject(
                    (0..<4).map {
                        ("k\($0)" + randomString(using: &generator), random(depth: depth - 1, using: &generator))
                    }
                ))
        }
    }

    private static func randomString(using generator: inout some RandomNumberGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            scalars.append(Unicode.Scalar(UInt32.random(in: 0..<0x11_0000, using: &generator)) ?? "x")
        }
        return String(scalars)
    }
}
