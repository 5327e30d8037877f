import Cryptography

/// A random text that the gateway gives to one client, and shows once. Only its digest is stored.
protocol IssuedSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The text itself; it is not for logs and documents.
    var text: String { get }
}

extension IssuedSecret {
    /// The SHA-256 digest of the text, in hexadecimal.
    var digest: String { SHA256.hexadecimal(of: text) }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
