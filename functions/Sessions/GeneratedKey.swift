internal import Cryptography
internal import Messaging

/// A key's text: `claud_` and 32 hexadecimal digits.
struct GeneratedKey: Sendable {
    static let mark = "claud_"
    private static let byteCount = 16

    let text: String
    /// The SHA-256 of it, in hexadecimal.
    var digest: String { SHA256.hexadecimal(of: text) }

    /// A new one.
    ///
    /// - Parameter bytes: makes so many random bytes.
    init(_ bytes: (Int) -> [UInt8] = RandomBytes.generate) {
        let digits = bytes(Self.byteCount).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        text = Self.mark + digits.joined()
    }

    /// Reads a key from a request; `nil` if it has another form.
    init?(_ credential: BearerCredential) {
        guard Self.isWellFormed(credential.value) else { return nil }
        text = credential.value
    }

    static func isWellFormed(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst(mark.utf8.count)
        return text.utf8.starts(with: mark.utf8) && digits.count == 2 * byteCount
            && digits.allSatisfy { $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }
}

extension GeneratedKey: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
