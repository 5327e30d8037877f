import Messaging
import Testing

@Suite("Mistakes in the texts of tokens")
struct TokenMistakeTests {
    private static let digits = String(repeating: "0f", count: 32)

    @Test(
        "A text that was copied or printed in a wrong way is explained, and not repeated",
        arguments: [
            ("{length = 32, bytes = 0x9f3b12aa 8d6d13f2 ... 11c1e7a2 }", "description of the token's data"),
            ("<9f3b12aa 8d6d13f2>", "brackets or quotation marks"),
            ("\"\(digits)\"", "brackets or quotation marks"), ("[\(digits)]", "brackets or quotation marks"),
            ("9f3b12aa 8d6d13f2", "has blanks inside"), ("9f3b12aa\u{A0}8d6d13f2", "has blanks inside"),
            ("0x" + digits, "begins with 0x"), (String(digits.dropLast()), "63 hexadecimal digits, an odd number"),
            ("0123456789abcdef", "16 hexadecimal digits, and a device token of Apple's has 64"),
            ("https://fcm.googleapis.com/fcm/send/abc", "is a URL"), ("cYzq1XkQTkm…", "is cut off"),
        ])
    func mistakes(text: String, words: String) throws {
        let sentence = try #require(TokenForms.standard.mistake(in: RegistrationToken(text)))
        #expect(sentence.contains(words), "\(sentence)")
        #expect(!sentence.contains(text))
    }

    @Test(
        "A text that may be a token has no mistake",
        arguments: [
            digits, digits.uppercased(), digits + digits, "cYzq1XkQTkmVsGMv2bQ4Lr:APA91bF_-x", "emulated:my phone",
            "emulated:<1>", "t", "token-1", "abc", "dead",
        ])
    func tokens(text: String) {
        #expect(TokenForms.standard.mistake(in: RegistrationToken(text)) == nil)
    }
}
