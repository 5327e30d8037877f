import Texts

/// Classes of characters in requests of FCM's.
extension UInt8 {
    /// `true` for characters of a header field's name (RFC 9110 §5.6.2).
    var isHTTPToken: Bool { isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
