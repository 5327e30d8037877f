internal import Cryptography
internal import JSON

/// What a client of a service account brings to get an access token: a JSON Web Token that it signed with the account's key
/// ([RFC 7523](https://www.rfc-editor.org/rfc/rfc7523) §2.1, RS256).
///
/// The host of its audience is not looked at: clients name the address they know Google by, and a gateway behind a proxy
/// does not know its own.
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
        let account = try Self.signer(of: token, keyID: header["kid"], issuer: claims["iss"]?.string, accounts)
        try Self.checkAudience(claims["aud"])
        try Self.checkTimes(claims, now: now)
        project = account.project
        keyID = account.keyID
    }

    /// Returns the account whose key has signed the assertion. Many clients do not name the key; then it is one of the
    /// issuer's, as at Google.
    private static func signer(
        of token: CompactJWS, keyID: JSONValue?, issuer: String?, _ accounts: ServiceAccounts
    ) throws(TokenError) -> ClientAccount {
        func isSigned(by account: ClientAccount) -> Bool {
            account.publicKey.isValid(token.signature, for: token.signingInput.utf8)
        }
        guard let keyID, keyID != .null else {
            let candidates = try accounts.accounts(email: issuer ?? "")
            if let account = candidates.first(where: isSigned) { return account }
            throw .invalidGrant(
                "the assertion names no key (kid), and is signed with none that this gateway has of its issuer")
        }
        let account = try accounts.account(keyID: keyID.string ?? "")
        guard isSigned(by: account) else {
            throw .invalidGrant("the assertion's signature is not that of the service account's key")
        }
        guard issuer == account.email else {
            throw .invalidGrant("the assertion's issuer is not the service account")
        }
        return account
    }

    /// RFC 7519 §4.1.3: it may be a list.
    private static func checkAudience(_ claim: JSONValue?) throws(TokenError) {
        let audiences = claim?.array?.compactMap(\.string) ?? [claim?.string].compactMap(\.self)
        guard audiences.contains(where: TokenPath.isAudience) else {
            throw .invalidGrant(
                "the assertion's audience (aud) is not the URL of a token endpoint, as in https://push.example.com/token"
            )
        }
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
