/// A server's secret as a request brings it: never stored, never printed; only its SHA-256 is kept.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    let value: String

    /// Takes the secret from an `Authorization` header: `Bearer`, in any case, and something after it.
    init?(authorization: String?) {
        guard let parts = authorization?.trimmingWhitespace().split(maxSplits: 1, whereSeparator: \.isWhitespace),
            parts.count == 2, parts[0].lowercased() == "bearer"
        else { return nil }
        value = parts[1].trimmingWhitespace()
        if value.isEmpty { return nil }
    }

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

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
