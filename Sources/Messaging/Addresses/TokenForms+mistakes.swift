import Texts

/// Mistakes that people make when they copy a device's token.
extension TokenForms {
    /// Returns the mistake in a text that is registered as a token, in a sentence without the text; `nil` if it looks
    /// like a token.
    ///
    /// A text that a service recognizes has none: the name of a device of the inbox may have blanks.
    package func mistake(in token: RegistrationToken) -> String? {
        guard transport(of: token) == otherwise else { return nil }
        return TokenMistake.sentence(about: token.value)
    }
}

/// The mistakes in a text that may have become a token of no service.
private enum TokenMistake {
    /// The number of hexadecimal digits from which on a text was probably meant as a device token of Apple's.
    private static let shortestDigits = 16
    private static let swift = #"deviceToken.map { String(format: "%02x", $0) }.joined()"#

    static func sentence(about text: String) -> String? {
        let bytes = text.utf8
        // Most tokens are of FCM: letters, digits and `:_-`, and not hexadecimal digits alone.
        if bytes.allSatisfy({ $0.isASCIILetterOrDigit || ":_-".utf8.contains($0) }) { return digits(of: text) }
        if text.contains("length ="), text.contains("bytes =") {
            return "the token is the system's description of the token's data, without some of the bytes; send the "
                + "whole token in hexadecimal digits, in Swift \(swift)"
        }
        if text.hasPrefix("https://") || text.hasPrefix("http://") {
            return "the token is a URL; a browser's subscription is sent whole, with its keys, as web_push"
        }
        if bytes.contains(where: { "<>[](){}\"'".utf8.contains($0) }) {
            return "the token has brackets or quotation marks; send what is between them, without blanks"
        }
        if text.unicodeScalars.contains(where: \.properties.isWhitespace) {
            return "the token has blanks inside; send it without them"
        }
        if text.hasSuffix("…") || text.hasSuffix("...") { return "the token is cut off at its end; send all of it" }
        return nil
    }

    /// Returns the mistake in a text of hexadecimal digits that are no device token; `nil` for any other text.
    private static func digits(of text: String) -> String? {
        let hasPrefix = text.hasPrefix("0x") || text.hasPrefix("0X")
        let digits = hasPrefix ? text.dropFirst(2) : text[...]
        let count = digits.utf8.count
        guard count >= shortestDigits, digits.utf8.allSatisfy(\.isASCIIHexDigit) else { return nil }
        if hasPrefix { return "the token begins with 0x; send the hexadecimal digits alone" }
        if !count.isMultiple(of: 2) {
            return "the token has \(count) hexadecimal digits, an odd number; a digit is missing, or was added"
        }
        return "the token has \(count) hexadecimal digits, and a device token of Apple's has 64; a part is missing"
    }
}
