internal import Cryptography
internal import JSON

/// What a client of a service account brings to get an access token: a JSON Web Token that it signed with the account's key
/// ([RFC 7523](https://www.rfc-editor.org/rfc/rfc7523) §2.1, RS256).
///
/// Its audience is not looked at: clients name the address they know Google by.
struct Assertion: Sendable {
    /// How far the clocks of client and gateway may be apart, in seconds.
    private static let tolerance: Int64 = 300
    /// How long after it was issued it may be over, in seconds: as
    /// [at Google](https://developers.google.com/identity/protocols/oauth2/service-account#jwt-auth).
    private static let maximumLifetime: Int64 = 3_600

    /// The project its account is of.
    let project: String
    /// The id of the key that signed it.
    let keyID: String

    /// - Parameter now: seconds since 1970.
    /// - Throws: `invalid_grant`, with what is wrong.
    init(_ text: String, accounts: ServiceAccounts, now: Int64) throws(TokenError) {
        guard let token = CompactJWS(text), let header = try? JSONValue(parsing: token.header),
            let claims = try? JSONValue(parsing: token.payload)
        else { throw .invalidGrant("the assertion is no JSON Web Token") }
        guard header["alg"]?.string == "RS256" else { throw .invalidGrant("the assertion must be signed with RS256") }
        guard header["crit"] == nil else {
            // RFC 7515 §4.1.11: an extension that is not understood makes the token invalid, and none is.
            throw .invalidGrant("the assertion's header has extensions (crit), and this gateway knows none")
        }
        let keyID = header["kid"]?.string ?? ""
        let account = try accounts.account(keyID: keyID)
        guard account.publicKey.isValid(token.signature, for: token.signingInput.utf8) else {
            throw .invalidGrant("the assertion's signature is not that of the service account's key")
        }
        guard claims["iss"]?.string == account.email else {
            throw .invalidGrant("the assertion's issuer is not the service account")
        }
        try Self.checkTimes(claims, now: now)
        project = account.project
        self.keyID = keyID
    }

    /// The claims can be any number: nothing is added to one before it is known to be near to now.
    private static func checkTimes(_ claims: JSONValue, now: Int64) throws(TokenError) {
        let issued = claims["iat"]?.integer ?? now
        guard let expires = claims["exp"]?.integer, expires > now - tolerance, issued <= now + tolerance else {
            throw .invalidGrant("the assertion's time is over, or has not come; compare the clocks")
        }
        try checkNotBefore(claims["nbf"], now: now)
        guard issued > now - maximumLifetime - tolerance, expires <= issued + maximumLifetime else {
            throw .invalidGrant("the assertion is good for longer than an hour")
        }
    }

    /// RFC 7519 §4.1.5.
    private static func checkNotBefore(_ claim: JSONValue?, now: Int64) throws(TokenError) {
        guard let claim else { return }
        guard let time = claim.integer ?? claim.double.flatMap({ Int64(exactly: $0.rounded(.up)) }),
            time <= now + tolerance
        else { throw .invalidGrant("the assertion's time (nbf) has not come, or is no number; compare the clocks") }
    }
}
