import Cryptography
import DocumentStore

/// The tokens with which a device's agents call its endpoints: 48 hexadecimal digits.
///
/// Tokens are derived, not stored. A device's document has a salt of 119 random bits and a digest, and the key is a
/// file beside the database. So a repeated registration returns the same token, and a copy of the documents gives no
/// access by token.
struct MCPTokens: Sendable {
    private static let byteCount = 24

    private let key: [UInt8]

    /// - Parameter key: 32 secret bytes.
    init(key: [UInt8]) { self.key = key }

    static func makeSalt() -> String { DocumentPath.randomID() }

    func token(salt: String) -> String {
        Hexadecimal.lowercase(HMACSHA256.code(for: Array(salt.utf8), key: key).prefix(Self.byteCount))
    }

    static func digest(of token: String) -> String { SHA256.hexadecimal(of: token) }
}
