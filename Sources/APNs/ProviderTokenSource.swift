internal import Cryptography
import Synchronization

/// Hands out a key's provider token of the moment, signing one when the slot changes.
final class ProviderTokenSource: Sendable {
    let name: String
    /// APNs knows a connection by the key of the tokens it has seen on it, so keys do not share any.
    let connectionGroup: String
    private let key: ES256PrivateKey
    private let keyID: String
    private let teamID: String
    private let now: @Sendable () -> Int64
    private let current = Mutex<(issuedAt: Int64, token: String)?>(nil)

    /// - Parameter now: seconds since 1970.
    init(_ app: APNsApp, now: @escaping @Sendable () -> Int64) {
        name = Self.name(app)
        connectionGroup = "\(name)/\(SHA256.hexadecimal(of: app.key.publicKey.pem))"
        key = app.key
        keyID = app.keyID
        teamID = app.teamID
        self.now = now
    }

    /// Tells keys apart: team and key id.
    static func name(_ app: APNsApp) -> String { "\(app.teamID)/\(app.keyID)" }

    func token() throws(CryptographyError) -> String {
        let issuedAt = ProviderToken.issuedAt(now())
        // Who comes while it is signed waits: each signature is another token to APNs.
        return try current.withLock { current throws(CryptographyError) in
            if let current, current.issuedAt == issuedAt { return current.token }
            let token = try ProviderToken.signed(with: key, keyID: keyID, teamID: teamID, issuedAt: issuedAt)
            current = (issuedAt, token)
            return token
        }
    }

    /// Whether the app is sent with the key that signs here.
    func signs(for app: APNsApp) -> Bool {
        Self.name(app) == name && app.key.publicKey.pem == key.publicKey.pem
    }
}
