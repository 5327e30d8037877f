import Testing

@testable import JSON

@Suite("JSON parsing")
struct JSONParsingTests {
    @Test("Only a parser that requires unique names refuses an object that has one twice, at any depth")
    func uniqueNames() throws {
        for (text, offset) in [(#"{"a":1,"a":1}"#, 13), (#"[{"b":{"a":1,"\u0061":2}}]"#, 24)] {
            #expect(throws: Never.self) { try JSONValue(parsing: text) }
            let error = #expect(throws: JSONParsingError.self) { try JSONValue(parsingUniqueNames: text.utf8) }
            #expect(error == JSONParsingError(reason: .repeatedName, offset: offset))
        }
        let good = #"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#
        #expect(try JSONValue(parsingUniqueNames: good.utf8) == JSONValue(parsing: good))
    }

    @Test(
        "The JSON parser reads every kind of value",
        arguments: [
            ("null", JSONValue.null), ("true", true), ("false", false), ("0", 0), ("-7", -7), ("1.5", 1.5),
            ("1e3", 1000.0), ("\"\"", ""), ("[]", []), ("{}", [:]), (" [1, \"a\" ,null]\n", [1, "a", nil]),
            ("{\"a\":{\"b\":[true]}}", ["a": ["b": [true]]]),
        ] as [(String, JSONValue)])
    func readsValues(text: String, expected: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == expected)
    }

    @Test("The JSON parser skips one byte order mark before the text and refuses any other")
    func byteOrderMark() throws {
        #expect(try JSONValue(parsing: "\u{FEFF}{\"a\":1}") == ["a": 1])
        #expect(try JSONValue(parsing: [0xEF, 0xBB, 0xBF, 0x20, 0x5B, 0x5D] as [UInt8]) == [])
        #expect(try JSONValue(parsing: "\"\u{FEFF}a\"") == "\u{FEFF}a")
        for text in ["\u{FEFF}", "\u{FEFF}\u{FEFF}{}", " \u{FEFF}{}", "{}\u{FEFF}", "[\u{FEFF}1]"] {
            #expect(throws: JSONParsingError.self) { try JSONValue(parsing: text) }
        }
        for bytes in [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x7B, 0x7D]] as [[UInt8]] {
            #expect(throws: JSONParsingError.self) { try JSONValue(parsing: bytes) }
        }
    }

    @Test("The JSON parser keeps 64-bit integers exact and reads larger ones as doubles")
    func integers() throws {
        #expect(try JSONValue(parsing: "9223372036854775807") == .integer(.max))
        #expect(try JSONValue(parsing: "-9223372036854775808") == .integer(.min))
        #expect(try JSONValue(parsing: "9223372036854775808") == .double(9_223_372_036_854_775_808))
    }

    @Test("The JSON parser decodes escapes and surrogate pairs, and reads half a pair as U+FFFD")
    func escapes() throws {
        #expect(try JSONValue(parsing: #""\/srv\/a\n\u00e9\t\"\\""#) == "/srv/a\né\t\"\\")
        #expect(try JSONValue(parsing: #""\ud83d\ude00!""#) == "😀!")
        #expect(try JSONValue(parsing: #""\ud83d""#) == "\u{FFFD}")
        #expect(try JSONValue(parsing: #""\ud83d\u0041""#) == "\u{FFFD}A")
        #expect(try JSONValue(parsing: #""\ude00x""#) == "\u{FFFD}x")
    }

    @Test("The JSON parser keeps the text between and around escapes")
    func textAroundEscapes() throws {
        let text = String(repeating: "é, and what follows it ", count: 10)
        #expect(
            try JSONValue(parsing: "\"\(text)\\n\(text)\\u00e9\\\"\(text)\\\\\"")
                == .string(text + "\n" + text + "é\"" + text + "\\"))
        let cut: [UInt8] = [0x22, 0x5C, 0x6E, 0x61, 0xC3, 0x5C, 0x6E, 0x22]
        #expect(throws: JSONParsingError(reason: .invalidUTF8, offset: 1)) { try JSONValue(parsing: cut) }
    }

    @Test("A JSON member given twice keeps its first position and its last value", arguments: [2, 16, 40])
    func duplicateNames(count: Int) throws {
        let members = (0..<count).map { "\"n\($0)\":\($0)" } + ["\"n0\":\"last\""]
        let value = try JSONValue(parsing: "{" + members.joined(separator: ",") + "}")
        #expect(value["n0"] == "last")
        #expect(value.object?.members.first?.name == "n0")
        #expect(value.object?.count == count)
    }

    @Test(
        "The JSON parser refuses invalid JSON and reports the offset",
        arguments: [
            ("", JSONParsingError.Reason.unexpectedEnd, 0), ("{", .unexpectedEnd, 1), ("[1,]", .unexpectedByte, 3),
            ("{\"a\" 1}", .unexpectedByte, 5), ("{a:1}", .unexpectedByte, 1), ("nul", .unexpectedEnd, 3),
            ("01", .trailingBytes, 1), ("1.", .invalidNumber, 2), ("1e", .invalidNumber, 2), ("-", .unexpectedEnd, 1),
            ("1e999", .invalidNumber, 0), ("\"a", .unexpectedEnd, 2), ("\"\u{1}\"", .unexpectedByte, 1),
            ("\"\\x\"", .invalidEscape, 2), ("\"\\u12g4\"", .invalidEscape, 5), ("1 2", .trailingBytes, 2),
            ("NaN", .unexpectedByte, 0), ("+1", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0),
        ] as [(String, JSONParsingError.Reason, Int)])
    func refuses(text: String, reason: JSONParsingError.Reason, offset: Int) {
        #expect(throws: JSONParsingError(reason: reason, offset: offset)) { try JSONValue(parsing: text) }
    }

    @Test(
        "The JSON parser refuses bytes that are not UTF-8",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]])
    func refusesInvalidUTF8(bytes: [UInt8]) {
        #expect(throws: JSONParsingError(reason: .invalidUTF8, offset: 1)) { try JSONValue(parsing: bytes) }
    }

    @Test("The JSON parser refuses nesting deeper than 128, at any length, without overflowing the stack")
    func refusesDeepNesting() throws {
        let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        #expect(throws: Never.self) { try JSONValue(parsing: deepest) }
        let tooDeep = String(repeating: "[", count: 1_000_000)
        #expect(throws: JSONParsingError(reason: .tooDeep, offset: 128)) { try JSONValue(parsing: tooDeep) }
    }

    @Test("The JSON parser never accepts a truncated document")
    func refusesEveryPrefix() throws {
        let text = #"{"a":[1,2.5e-3,"\u00e9\n",true,null],"b":{"c":""}}"#
        _ = try JSONValue(parsing: text)
        for length in 0..<text.utf8.count {
            #expect(throws: JSONParsingError.self) { try JSONValue(parsing: Array(text.utf8.prefix(length))) }
        }
    }
}
