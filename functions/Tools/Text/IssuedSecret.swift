import Cryptography

/// A random text that the gateway gives to one client, and shows once. Only its digest is stored.
package protocol IssuedSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The text itself; it is not for logs and documents.
    var text: String { get }
}

extension IssuedSecret {
    /// The SHA-256 digest of the text, in hexadecimal.
    var digest: String { SHA256.hexadecimal(of: text) }

    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
