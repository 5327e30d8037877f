import Cryptography
import DocumentStore
package import Instance
import JSON
package import Secrets

/// The issuer and verifier of access tokens for the interfaces of FCM and Firestore. Tokens are not stored: their
/// claims are signed (HMAC-SHA256), and they are valid for an hour.
package struct AccessTokens: Sendable {
    /// The lifetime of a token, in seconds.
    static let lifetime: Int64 = 3_600

    let key: [UInt8]
    /// Returns the current time, in seconds since 1970.
    let now: @Sendable () -> Int64

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - key: The key that signs the tokens.
    ///   - now: Returns the current time, in seconds since 1970.
    package init(key: [UInt8], now: @escaping @Sendable () -> Int64) {
        self.key = key
        self.now = now
    }

    /// Returns a new token.
    ///
    /// - Parameter account: The id of the service account's key; `nil` for the gateway's operator.
    func token(
        forProject project: String, scopes: Set<AccessScope> = [.messaging], account: String? = nil
    ) -> String {
        var claims: JSONObject = [
            "project": .string(project), "scopes": scopes.json, "expires": .integer(now() + Self.lifetime),
        ]
        claims["account"] = account.map(JSONValue.string)
        let payload = JSONValue.object(claims).serialized
        return Base64URL.encode(payload) + "." + Base64URL.encode(HMACSHA256.code(for: payload, key: key))
    }

    /// Returns a new token of the gateway's operator for all interfaces, made with the key of a data directory.
    ///
    /// - Throws: ``GatewayError`` if the directory has no gateway key, or if the key cannot be read.
    package static func operatorToken(
        forProject project: String, in directory: DataDirectory
    ) throws(GatewayError) -> RedactedString {
        guard let key = try directory.gatewayKey.existing() else {
            throw GatewayError(
                "no gateway has been started on \(directory.path) yet: it creates the key that signs access tokens. "
                    + "Start it, or name another directory with --data-directory.")
        }
        let tokens = AccessTokens(key: key.accessTokens, now: { Timestamp.now.seconds })
        return RedactedString(tokens.token(forProject: project, scopes: Set(AccessScope.allCases)))
    }

    /// A project and the interfaces that a token is valid for, and its owner.
    package struct Grant: Hashable {
        package let project: String
        package let scopes: Set<AccessScope>
        /// The id of the service account's key; `nil` for the gateway's operator.
        package let account: String?
    }

    /// Returns the grant of a token; `nil` if this gateway did not issue the token, or if it has expired.
    package func grant(of token: String) -> Grant? {
        guard let claims = Claims(token), claims.isSigned(with: key), now() < claims.expires else { return nil }
        return claims.grant
    }

    /// A reason that a token is not valid.
    package enum Fault: Hashable {
        case expired
        /// The token has the form of a gateway's token, but another gateway's signature.
        case ofAnotherGateway
        case notAToken
    }

    /// Returns the reason that ``grant(of:)`` returns `nil`.
    package func fault(of token: String) -> Fault {
        guard let claims = Claims(token) else { return .notAToken }
        return claims.isSigned(with: key) ? .expired : .ofAnotherGateway
    }

    /// The claims of a token, with a signature that is not verified yet.
    private struct Claims {
        let grant: Grant
        let expires: Int64
        private let payload: [UInt8]
        private let code: [UInt8]

        init?(_ token: String) {
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let payload = Base64URL.decode(parts[0]),
                let code = Base64URL.decode(parts[1]), code.count == HMACSHA256.byteCount,
                let claims = try? JSONValue(parsing: payload), let expires = claims["expires"]?.integer,
                let project = claims["project"]?.string
            else { return nil }
            grant = Grant(project: project, scopes: Set(json: claims["scopes"]), account: claims["account"]?.string)
            self.expires = expires
            self.payload = payload
            self.code = code
        }

        func isSigned(with key: [UInt8]) -> Bool { HMACSHA256.isValid(code, for: payload, key: key) }
    }
}
