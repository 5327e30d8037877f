import Foundation

/// The base64 of URLs (RFC 4648 §5), without padding.
enum Base64URLText {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        text(ofBase64: Data(bytes).base64EncodedString())
    }

    /// Returns the same bytes in this form.
    static func text(ofBase64 text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns the decoded bytes; `nil` if the text has other characters, padding, or an impossible length.
    static func decode(_ text: String) -> [UInt8]? {
        guard isEncoded(text) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding).map { Array($0) }
    }

    /// Returns `true` for a text of the alphabet, which may be empty.
    static func isEncoded(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

extension Data {
    /// Returns bytes of the system's random numbers.
    static func random(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
