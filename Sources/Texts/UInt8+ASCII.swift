/// The classes of ASCII characters, for bytes of UTF-8. A byte of any other character is in none of them.
///
/// They are inlinable, because parsers ask for each byte.
extension UInt8 {
    /// `true` for 0 to 9.
    @inlinable
    package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// `true` for A to Z.
    @inlinable
    package var isASCIIUppercaseLetter: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }

    /// `true` for A to Z and a to z.
    @inlinable
    package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// `true` for A to Z, a to z and 0 to 9.
    @inlinable
    package var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }

    /// `true` for 0 to 9, A to F and a to f.
    @inlinable
    package var isASCIIHexDigit: Bool {
        isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }

    /// `true` for 0 to 9 and a to f.
    @inlinable
    package var isASCIILowercaseHexDigit: Bool {
        isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }

    /// `true` for A to Z, a to z, 0 to 9, - and _: the characters of base64url (RFC 4648 §5).
    @inlinable
    package var isBase64URL: Bool {
        isASCIILetterOrDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }

    /// The byte, or the small letter of A to Z.
    @inlinable
    package var asciiLowercased: UInt8 { isASCIIUppercaseLetter ? self | 0x20 : self }
}
