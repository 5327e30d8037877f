internal import Cryptography
internal import JSON
import Synchronization

/// The JSON Web Token that says who sends.
///
/// [Establishing a token-based connection](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns):
/// ES256 over `{"alg":"ES256","kid":…}` and `{"iss":…,"iat":…}`; `iat` whole seconds, at most an hour old.
enum ProviderToken {
    /// Tokens change every half hour of the clock: Apple wants no more than one in 20 minutes and no fewer than one in 60.
    static let slotSeconds: Int64 = 1_800

    /// The `iat` of the token in use at a time: the beginning of its slot, so that processes that start at different
    /// moments agree.
    static func issuedAt(_ time: Int64) -> Int64 { time - time % slotSeconds }

    static func signed(with key: ES256PrivateKey, keyID: String, teamID: String, issuedAt: Int64)
        throws(CryptographyError) -> String
    {
        let header: JSONValue = ["alg": "ES256", "kid": .string(keyID)]
        let claims: JSONValue = ["iss": .string(teamID), "iat": .integer(issuedAt)]
        let signed = Base64URL.encode(header.serialized) + "." + Base64URL.encode(claims.serialized)
        return signed + "." + Base64URL.encode(try key.signature(for: Array(signed.utf8)))
    }
}

/// Hands out the provider token of the moment, signing one when the slot changes.
final class ProviderTokenSource: Sendable {
    private let configuration: APNsConfiguration
    private let now: @Sendable () -> Int64
    private let current = Mutex<(issuedAt: Int64, token: String)?>(nil)

    /// - Parameter now: seconds since 1970.
    init(_ configuration: APNsConfiguration, now: @escaping @Sendable () -> Int64) {
        self.configuration = configuration
        self.now = now
    }

    func token() throws(CryptographyError) -> String {
        let issuedAt = ProviderToken.issuedAt(now())
        if let token = current.withLock({ $0?.issuedAt == issuedAt ? $0?.token : nil }) { return token }
        let token = try ProviderToken.signed(
            with: configuration.key, keyID: configuration.keyID, teamID: configuration.teamID, issuedAt: issuedAt)
        current.withLock { $0 = (issuedAt, token) }
        return token
    }
}
