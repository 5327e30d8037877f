/// Classes of ASCII characters.
extension UInt8 {
    package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    var isHexadecimalDigit: Bool {
        isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }

    /// `true` for the characters of base64url (RFC 4648 §5).
    var isBase64URL: Bool { isASCIILetter || isASCIIDigit || "-_".utf8.contains(self) }

    /// `true` for characters of a header field's name (RFC 9110 §5.6.2).
    var isHTTPToken: Bool { isASCIILetter || isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
