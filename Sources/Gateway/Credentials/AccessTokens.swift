internal import Cryptography
internal import JSON

/// Makes access tokens for clients of FCM's interface, and checks them. Nothing is stored: what a token says is signed
/// (HMAC-SHA256), and it lasts for an hour.
struct AccessTokens: Sendable {
    /// Seconds.
    static let lifetime: Int64 = 3_600

    let key: [UInt8]
    /// Seconds since 1970.
    let now: @Sendable () -> Int64

    func token(forProject project: String) -> String {
        let claims: JSONValue = ["project": .string(project), "expires": .integer(now() + Self.lifetime)]
        let payload = claims.serialized
        return Base64URL.encode(payload) + "." + Base64URL.encode(HMACSHA256.code(for: payload, key: key))
    }

    /// The project that a token is for; `nil` if it is none of this gateway's, or its time is over.
    func project(of token: String) -> String? {
        guard let claims = Claims(token), claims.isSigned(with: key), now() < claims.expires else { return nil }
        return claims.project
    }

    /// The reason why a token is for no project.
    enum Fault: Hashable {
        case expired
        /// It has the form of a gateway's, and the signature of another one.
        case ofAnotherGateway
        case notAToken
    }

    /// Returns the reason why ``project(of:)`` returns `nil`.
    func fault(of token: String) -> Fault {
        guard let claims = Claims(token) else { return .notAToken }
        return claims.isSigned(with: key) ? .expired : .ofAnotherGateway
    }

    /// The claims of a token, whoever signed it.
    private struct Claims {
        let project: String
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
            self.project = project
            self.expires = expires
            self.payload = payload
            self.code = code
        }

        func isSigned(with key: [UInt8]) -> Bool { HMACSHA256.isValid(code, for: payload, key: key) }
    }
}
