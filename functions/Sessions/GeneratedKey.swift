internal import Cryptography

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

    /// What a request brings; `nil` if it has another form.
    init?(_ credential: BearerCredential) {
        let digits = credential.value.utf8.dropFirst(Self.mark.utf8.count)
        guard credential.value.utf8.starts(with: Self.mark.utf8), digits.count == 2 * Self.byteCount,
            digits.allSatisfy(Self.isDigit)
        else { return nil }
        text = credential.value
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension GeneratedKey: CustomStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
