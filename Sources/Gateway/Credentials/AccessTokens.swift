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

    /// The project that a token is for; nil when it is none of ours, or its time is over.
    func project(of token: String) -> String? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let payload = Base64URL.decode(String(parts[0])),
            let code = Base64URL.decode(String(parts[1])), HMACSHA256.isValid(code, for: payload, key: key),
            let claims = try? JSONValue(parsing: payload), let expires = claims["expires"]?.integer, now() < expires
        else { return nil }
        return claims["project"]?.string
    }
}
