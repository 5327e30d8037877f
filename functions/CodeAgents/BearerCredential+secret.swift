/// A server's secret; only its SHA-256 is kept.
extension BearerCredential {
    /// Whether it is of the allowed length and only letters, digits and `+/=_-`.
    func isWellFormed(minimumLength: Int) -> Bool {
        value.utf8.count >= minimumLength && value.utf8.count <= 256 && value.utf8.allSatisfy(Self.isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+/=_-".utf8.contains(byte)
        }
    }
}
