import Cryptography
import JSON
import Texts

/// The claims of a VAPID token (RFC 8292 §2) and the key that signed it, without the signature.
public struct VAPIDClaims: Hashable, Sendable {
    /// The `aud` claim: the origin of the endpoint.
    public let audience: String
    /// The `exp` claim in seconds since 1970. A fraction is rounded down.
    public let expiration: Int64
    /// The `sub` claim: a `mailto:` or `https:` URL of the application server's operator; `nil` if it is missing.
    public let subject: String?
    /// The application server key in base64url.
    public let publicKey: String
}

/// The value of `authorization` with the scheme `vapid`: a token and the key that signed it (RFC 8292 §3).
struct VAPIDCredentials: Hashable {
    let token: String
    let key: String

    /// Reads the value. The scheme is compared case-insensitively (RFC 9110 §11.1).
    init(_ authorization: String) throws(PushRefusal) {
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard let scheme = parts.first, scheme.lowercased() == "vapid", parts.count == 2 else {
            throw Self.refusal(authorization)
        }
        var parameters: [Substring: Substring] = [:]
        for parameter in parts[1].split(separator: ",") {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { throw Self.malformed }
            let (name, value) = (pair[0].trimmed, pair[1].trimmed.unquoted)
            guard parameters.updateValue(value, forKey: name) == nil else { throw Self.malformed }
        }
        guard let token = parameters["t"], let key = parameters["k"] else { throw Self.malformed }
        self.token = String(token)
        self.key = String(key)
    }

    private static let malformed = PushRefusal(
        .identityInvalid, "authorization is not “vapid t=TOKEN, k=KEY”, each parameter once")

    private static func refusal(_ authorization: String) -> PushRefusal {
        let scheme = authorization.prefix { $0 != " " }
        guard scheme.lowercased() == "webpush" else { return malformed }
        return PushRefusal(
            .identityInvalid,
            "authorization has the scheme WebPush, which is of a draft; it takes “vapid t=TOKEN, k=KEY” (RFC 8292 §3)")
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = drop(while: isSpace)
        return start[..<(start.lastIndex { !isSpace($0) }.map(start.index(after:)) ?? start.startIndex)]
    }

    /// The content of a quoted string (RFC 9110 §5.6.4) without escapes, which neither value has.
    fileprivate var unquoted: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}

/// A verifier of VAPID's tokens: their form and their signature. Times, origins and subjects are checked with every
/// request.
///
/// A sender sends the same token with many requests, and verifying a signature takes longer than all other work for a
/// request, so recent results are cached.
struct VAPIDVerifier: Sendable {
    /// The number of cached tokens; the limit only bounds memory.
    static let rememberedTokens = 256

    private var results: [String: Result<VAPIDClaims, PushRefusal>] = [:]

    /// Returns the claims of the token in an `authorization` field.
    ///
    /// - Throws: ``PushRefusal`` if the token is malformed, or not signed by the key beside it.
    mutating func claims(authorizing authorization: String) throws(PushRefusal) -> VAPIDClaims {
        if let known = results[authorization] { return try known.get() }
        let result = Result { () throws(PushRefusal) in try Self.verify(try VAPIDCredentials(authorization)) }
        if results.count >= Self.rememberedTokens { results.removeAll(keepingCapacity: true) }
        results[authorization] = result
        return try result.get()
    }

    private static func verify(_ credentials: VAPIDCredentials) throws(PushRefusal) -> VAPIDClaims {
        guard let jws = CompactJWS(credentials.token) else {
            throw refusal("is not a JWT: three parts in base64url without padding, separated by dots")
        }
        guard jws.signature.count == 64 else {
            throw refusal(
                "has a signature of \(jws.signature.count) bytes; ES256 in a JWT has 64, r and s (RFC 7518 §3.4), not DER"
            )
        }
        guard (try? JSONValue(parsing: jws.header))?["alg"]?.string == "ES256" else {
            throw refusal("has another “alg” than ES256 in its header")
        }
        let claims = try claims(jws.payload, key: credentials.key)
        guard let key = UncompressedPoint(base64URL: credentials.key)?.verifyingKey() else {
            throw PushRefusal(
                .identityInvalid,
                "“k” is no public key: it takes the 65 bytes of an uncompressed point on P-256, in base64url")
        }
        guard key.isValid(jws.signature, for: jws.signingInput.utf8) else {
            throw refusal("is not signed with the key in “k”")
        }
        return claims
    }

    private static func claims(_ payload: [UInt8], key: String) throws(PushRefusal) -> VAPIDClaims {
        let claims = try? JSONValue(parsing: payload)
        guard let audience = claims?["aud"]?.string else {
            throw refusal("has no “aud”, the origin of the endpoint, as a string")
        }
        guard let expiration = seconds(claims?["exp"]) else {
            throw refusal("has no “exp”, a number of seconds since 1970")
        }
        let subject = claims?["sub"]
        guard subject == nil || subject?.string != nil else { throw refusal("has a “sub” that is not a string") }
        return VAPIDClaims(audience: audience, expiration: expiration, subject: subject?.string, publicKey: key)
    }

    private static func seconds(_ value: JSONValue?) -> Int64? {
        switch value {
        case .integer(let seconds): seconds
        case .double(let seconds): Int64(exactly: seconds.rounded(.down))
        default: nil
        }
    }

    private static func refusal(_ cause: String) -> PushRefusal {
        PushRefusal(.identityInvalid, "the VAPID token \(cause)")
    }
}
