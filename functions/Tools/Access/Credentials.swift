import Cryptography

/// A key or secret from a request. It is never stored and never printed.
struct BearerCredential: Sendable, CustomStringConvertible, CustomReflectable {
    let value: String

    /// Reads an `Authorization` field: `Bearer`, in any case, a space, and a non-empty value (RFC 9110 §11.1, §11.4).
    init?(authorization: String?) {
        guard let text = authorization?.trimmingWhitespace(), let end = text.firstIndex(of: " "),
            text[..<end].lowercased() == "bearer"
        else { return nil }
        self.init(text[end...].trimmingWhitespace())
    }

    /// Takes the value unchanged. Returns `nil` if it is absent or empty.
    init?(_ value: String?) {
        guard let value, !value.isEmpty else { return nil }
        self.value = value
    }

    /// The SHA-256 digest of the value.
    var digest: [UInt8] { SHA256.digest(of: value.utf8) }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// The keys that open a system's endpoints.
///
/// The type keeps only digests, so a configuration can be logged. It compares all of them in constant time, so the
/// response time reveals nothing about a key.
package struct APIKeys: Hashable, Sendable, ExpressibleByArrayLiteral {
    private let digests: [[UInt8]]

    /// Takes keys in plain text and keeps their digests.
    package init(_ keys: [String]) { digests = keys.map { SHA256.digest(of: $0.utf8) } }

    package init(arrayLiteral keys: String...) { self.init(keys) }

    /// `true` if no key is configured.
    package var isEmpty: Bool { digests.isEmpty }

    /// Returns `true` if the key is one of the configured keys.
    func contains(_ key: BearerCredential) -> Bool { contains(digest: key.digest) }

    /// - Parameter digest: The SHA-256 digest of a key.
    func contains(digest: [UInt8]) -> Bool { digests.count { ConstantTime.equal($0, digest) } > 0 }
}

extension APIKeys: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
