import Cryptography
import JSON
import Synchronization

/// The JSON Web Token that identifies the sender to APNs.
///
/// [Establishing a token-based connection](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns):
/// ES256 over `{"alg":"ES256","kid":…}` and `{"iss":…,"iat":…}`; `iat` whole seconds, at most an hour old.
enum ProviderToken {
    /// The length of a slot, in seconds. Tokens change every half hour of the clock: Apple accepts at most one in 20
    /// minutes and requires at least one in 60.
    static let slotSeconds: Int64 = 1_800

    /// Returns the `iat` of the token in use at a time: the beginning of its slot. Processes that start at different
    /// moments agree on it.
    static func issuedAt(_ time: Int64) -> Int64 { time - time % slotSeconds }

    /// Returns a signed token.
    static func signed(with key: ES256PrivateKey, keyID: String, teamID: String, issuedAt: Int64)
        throws(CryptographyError) -> String
    {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID)]
        let claims: JSONValue = ["iss": .string(teamID), "iat": .integer(issuedAt)]
        return try CompactJWS(header: header.serialized, payload: claims.serialized, sign: key.signature).text
    }
}

/// A source of a key's current provider token, which signs a new one when the slot changes.
final class ProviderTokenSource: Sendable {
    let name: String
    /// The pool of connections for this key. APNs ties a connection to the key of the tokens it has received there,
    /// so two keys never share one.
    let connectionGroup: String
    private let key: ES256PrivateKey
    private let keyID: String
    private let teamID: String
    private let now: @Sendable () -> Int64
    private let current = Mutex<(issuedAt: Int64, authorization: String)?>(nil)

    /// - Parameter now: seconds since 1970.
    init(_ app: APNsApp, now: @escaping @Sendable () -> Int64) {
        name = Self.name(app)
        connectionGroup = "\(name)/\(SHA256.hexadecimal(of: app.key.publicKey.pem))"
        key = app.key
        keyID = app.keyID
        teamID = app.teamID
        self.now = now
    }

    /// Returns the name of a key: team and key id.
    static func name(_ app: APNsApp) -> String { "\(app.teamID)/\(app.keyID)" }

    /// Returns the value of the header field `authorization` with the token of the current slot.
    func authorization() throws(CryptographyError) -> String {
        let issuedAt = ProviderToken.issuedAt(now())
        // Other callers wait while a token is signed: APNs counts each signature as another token.
        return try current.withLock { current throws(CryptographyError) in
            if let current, current.issuedAt == issuedAt { return current.authorization }
            let token = try ProviderToken.signed(with: key, keyID: keyID, teamID: teamID, issuedAt: issuedAt)
            let authorization = "bearer \(token)"
            current = (issuedAt, authorization)
            return authorization
        }
    }

    /// Returns `true` if an app uses this key.
    func signs(for app: APNsApp) -> Bool {
        Self.name(app) == name && app.key.publicKey.pem == key.publicKey.pem
    }
}
