internal import Cryptography

/// A key or secret as a request brings it: never stored, never printed.
struct BearerCredential: Sendable, CustomStringConvertible, CustomReflectable {
    let value: String

    /// Takes it from an `Authorization` field: `Bearer`, in any case (RFC 9110 §11.1), and something after it.
    init?(authorization: String?) {
        guard let text = authorization?.trimmingWhitespace(), let end = text.firstIndex(where: \.isWhitespace),
            text[..<end].lowercased() == "bearer"
        else { return nil }
        self.init(text[end...].trimmingWhitespace())
    }

    /// Takes it as it stands; nil when there is nothing.
    init?(_ value: String?) {
        guard let value, !value.isEmpty else { return nil }
        self.value = value
    }

    /// The SHA-256 of it.
    var digest: [UInt8] { SHA256.digest(of: value.utf8) }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
