import Texts

/// The digits of base64 for URLs (RFC 4648 §5).
enum Base64URLText {
    static func isDigit(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
