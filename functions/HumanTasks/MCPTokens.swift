internal import Cryptography
internal import DocumentStore

/// The tokens that open a device's endpoints to its agents: 48 hexadecimal digits.
///
/// They are derived, not stored: a device's document has a salt of 119 random bits and a digest, and the key is a file
/// beside the database. So a registration that comes again is answered with the token it had, and a copy of the documents
/// opens nothing by token.
struct MCPTokens: Sendable {
    private static let byteCount = 24

    /// 32 secret bytes.
    let key: [UInt8]

    static func makeSalt() -> String { DocumentPath.randomID() }

    func token(salt: String) -> String {
        HMACSHA256.code(for: Array(salt.utf8), key: key).prefix(Self.byteCount)
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    static func digest(of token: String) -> String { SHA256.hexadecimal(of: token) }
}
