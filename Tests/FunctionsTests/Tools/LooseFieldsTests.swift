import JSON
import Testing

@testable import Functions

@Suite("Reading fields like JavaScript handlers")
struct LooseFieldsTests {
    private func field(_ json: String) throws -> LooseFields {
        LooseFields(try #require(try JSONValue(parsing: "{\"f\":\(json)}").object))
    }

    @Test(
        "An integer is a truncated number, or the number at the start of a string",
        arguments: [
            ("0", 0), ("12", 12), ("-12", -12), ("3.9", 3), ("-3.9", -3), ("0.5", 0), ("1e3", 1_000), ("12.0", 12),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("\"12\"", 12), ("\"12abc\"", 12),
            ("\" 12 \"", 12), ("\"-7\"", -7), ("\"+7\"", 7), ("\"3.9\"", 3), ("\"007\"", 7), ("\"1e3\"", 1),
            ("\"-\"", nil), ("\"\"", nil), ("\" \"", nil), ("\"abc\"", nil), ("\"abc12\"", nil), ("\"--1\"", nil),
            ("\"٣\"", nil), ("\"1٣\"", 1), ("\"99999999999999999999\"", nil), ("1e300", nil), ("-1e300", nil),
            ("9223372036854775808", nil),
            ("true", nil), ("false", nil), ("null", nil), ("[]", nil), ("[1]", nil), ("{}", nil),
        ] as [(String, Int64?)])
    func integer(json: String, expected: Int64?) throws {
        #expect(try field(json).integer("f") == expected)
        #expect(try field(json).integer("g") == nil)
    }

    @Test(
        "A script's integer has JavaScript's precision and prints as JavaScript prints it",
        arguments: [
            ("0", "0"), ("-0.5", "0"), ("12", "12"), ("-3.9", "-3"), ("1e3", "1000"), ("\"12abc\"", "12"),
            ("\"-7\"", "-7"), ("\"1e20\"", "1"), ("9007199254740991", "9007199254740991"),
            ("9007199254740993", "9007199254740992"), ("-9007199254740993", "-9007199254740992"),
            ("9007199254740994", "9007199254740994"), ("18014398509481988", "18014398509481988"),
            ("1152921504606846976", "1152921504606847000"), ("9223372036854775807", "9223372036854776000"),
            ("\"9007199254740993\"", "9007199254740992"), ("1e20", "100000000000000000000"),
            ("-1.5e20", "-150000000000000000000"), ("123456789012345678901", "123456789012345680000"),
            ("999999999999999999999", "1e+21"), ("1e21", "1e+21"), ("-1.25e300", "-1.25e+300"),
            ("\"99999999999999999999999\"", "1e+23"), ("\"-\"", nil), ("\"abc\"", nil), ("true", nil),
            ("null", nil), ("[1]", nil), ("{}", nil), ("\"1\(String(repeating: "0", count: 400))\"", nil),
        ] as [(String, String?)])
    func scriptInteger(json: String, expected: String?) throws {
        #expect(try field(json).scriptInteger("f")?.description == expected)
        #expect(try field(json).scriptInteger("g") == nil)
    }

    @Test(
        "True, 1 and their words are true, and everything else is false",
        arguments: [
            ("true", true), ("1", true), ("1.0", true), ("\"true\"", true), ("\"TRUE\"", true), ("\"1\"", true),
            ("\"yes\"", true), ("\"Yes\"", true), ("\" yes \"", true), ("false", false), ("0", false), ("2", false),
            ("-1", false), ("1.5", false), ("\"\"", false), ("\"false\"", false), ("\"y\"", false), ("\"on\"", false),
            ("\"yes!\"", false), ("\"01\"", false), ("null", false), ("[]", false), ("[true]", false), ("{}", false),
        ])
    func boolean(json: String, expected: Bool) throws {
        #expect(try field(json).boolean("f") == expected)
        #expect(try field(json).boolean("g") == nil)
    }

    @Test(
        "A string loses only its surrounding white space",
        arguments: [
            (#"" a b ""#, "a b"), (#""\r\n\ta\u00a0\u2028""#, "a"), (#""a\r\n\r\nb""#, "a\r\n\r\nb"), (#""😀 ""#, "😀"),
            (#"" \u0301a""#, "\u{301}a"), (#""a \u0301""#, "a \u{301}"), (#""a\u200d""#, "a\u{200D}"),
            (#" "\u0085" "#, "\u{85}"), (#"" \u0085a\u0085 ""#, "\u{85}a\u{85}"), (#""\ufeffa\u3000""#, "a"),
            (#""\ufe0f""#, "\u{FE0F}"), (#""\u0000""#, "\u{0}"), (#""  ""#, nil), (#""""#, nil), ("1", nil),
            ("null", nil), ("true", nil), (#"["a"]"#, nil),
        ] as [(String, String?)])
    func string(json: String, expected: String?) throws {
        let value = try field(json).string("f")
        #expect(value.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }
}
