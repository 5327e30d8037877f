import Texts

/// Classes of characters in requests of FCM's.
extension UInt8 {
    /// `true` for the characters of base64url (RFC 4648 §5).
    var isBase64URL: Bool { isASCIILetterOrDigit || "-_".utf8.contains(self) }

    /// `true` for characters of a header field's name (RFC 9110 §5.6.2).
    var isHTTPToken: Bool { isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
