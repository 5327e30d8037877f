import Cryptography
import JSON

/// The assertion with which a service account's client requests an access token: a JSON Web Token signed with the
/// account's key ([RFC 7523](https://www.rfc-editor.org/rfc/rfc7523) §2.1, RS256).
///
/// The host of its audience is not checked: clients use the address under which they know Google, and a gateway
/// behind a proxy does not know its own.
struct Assertion: Sendable {
    /// The maximum difference between the clocks of client and gateway, in seconds.
    private static let tolerance: Int64 = 300
    /// The maximum lifetime of an assertion, in seconds, the same as [at
    /// Google](https://developers.google.com/identity/protocols/oauth2/service-account#jwt-auth).
    private static let maximumLifetime: Int64 = 3_600

    /// The account's project.
    let project: String
    /// The id of the key that signed the assertion.
    let keyID: String
    /// The interfaces that the client asks for, of those that the account was made for.
    let scopes: Set<AccessScope>

    /// Verifies an assertion.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    /// - Throws: `invalid_grant`, with the reason.
    init(_ text: String, accounts: ServiceAccounts, now: Int64) throws(TokenError) {
        guard let token = CompactJWS(text) else { throw .invalidGrant("the assertion is not a JSON Web Token") }
        let (header, claims) = (try Self.object(token.header), try Self.object(token.payload))
        guard header["alg"]?.string == "RS256" else { throw .invalidGrant("the assertion must be signed with RS256") }
        guard header["crit"] == nil else {
            // RFC 7515 §4.1.11: an extension that is not understood makes the token invalid, and this gateway
            // supports none.
            throw .invalidGrant("the assertion's header has extensions (crit), which this gateway does not support")
        }
        let account = try Self.signer(of: token, keyID: header["kid"], issuer: claims["iss"]?.string, accounts)
        try Self.checkAudience(claims["aud"])
        try Self.checkTimes(claims, now: now)
        project = account.project
        keyID = account.keyID
        let requested = claims["scope"]?.string ?? ""
        scopes = account.scopes.filter { $0.isRequested(by: requested) }
    }

    /// Parses the header or the claims. Of a name that occurs twice, other programs may read the other value (RFC 7515
    /// §4, RFC 7519 §4).
    private static func object(_ bytes: [UInt8]) throws(TokenError) -> JSONValue {
        do throws(JSONParsingError) {
            return try JSONValue(parsingUniqueNames: bytes)
        } catch {
            throw .invalidGrant(
                error.reason == .repeatedName
                    ? "the assertion has a member twice" : "the assertion is not a JSON Web Token")
        }
    }

    /// Returns the account whose key signed the assertion. Many clients do not name the key; then each of the
    /// issuer's keys is tried, as at Google.
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
                "the assertion names no key (kid), and no key of its issuer that this gateway knows signed it")
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

    /// Checks the audience, which can be a list (RFC 7519 §4.1.3).
    private static func checkAudience(_ claim: JSONValue?) throws(TokenError) {
        let audiences = claim?.array?.compactMap(\.string) ?? [claim?.string].compactMap(\.self)
        guard audiences.contains(where: TokenPath.isAudience) else {
            throw .invalidGrant(
                "the assertion's audience (aud) is not the URL of a token endpoint, such as "
                    + "https://push.example.com/token")
        }
    }

    /// Checks the times. The claims can be any number, so no arithmetic uses one before it is known to be close to
    /// the current time.
    private static func checkTimes(_ claims: JSONValue, now: Int64) throws(TokenError) {
        let issued = claims["iat"]?.integer ?? now
        guard let expires = claims["exp"]?.integer, expires > now - tolerance, issued <= now + tolerance else {
            throw .invalidGrant("the assertion has expired or is not valid yet; compare the clocks")
        }
        try checkNotBefore(claims["nbf"], now: now)
        guard issued > now - maximumLifetime - tolerance, expires <= issued + maximumLifetime else {
            throw .invalidGrant("the assertion is valid for longer than an hour")
        }
    }

    /// Checks `nbf` (RFC 7519 §4.1.5).
    private static func checkNotBefore(_ claim: JSONValue?, now: Int64) throws(TokenError) {
        guard let claim else { return }
        guard let time = claim.integer ?? claim.double.flatMap({ Int64(exactly: $0.rounded(.up)) }),
            time <= now + tolerance
        else { throw .invalidGrant("the assertion is not valid yet (nbf), or nbf is not a number; compare the clocks") }
    }
}

/// The paths of the token endpoint: its own, and those of Google that clients use.
enum TokenPath {
    /// The paths at `oauth2.googleapis.com`, at `www.googleapis.com` (Ruby), and in older clients (Node).
    static let all = ["/token", "/oauth2/v4/token", "/o/oauth2/token"]

    /// Returns `true` if a URL is that of a token endpoint, on any host. A proxy may have added a path before the
    /// gateway's.
    static func isAudience(_ url: String) -> Bool {
        guard let scheme = url.firstRange(of: "://") else { return false }
        let rest = url[scheme.upperBound...].prefix { !"?#".contains($0) }
        guard let slash = rest.firstIndex(of: "/"), slash > rest.startIndex else { return false }
        return all.contains { rest[slash...].hasSuffix($0) }
    }
}
