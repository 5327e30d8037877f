import Cryptography
import HTTPClient
import HTTPTypes
import JSON
import Logging
import Messaging

/// A client of the URL that exchanges a service account's assertion for an access token. It keeps no state.
struct GoogleTokenEndpoint: Sendable {
    let account: ServiceAccount
    let client: HTTPClient
    let deadline: Duration
    /// Seconds since 1970.
    let now: @Sendable () -> Int64
    let logger: Logger

    /// Signs an assertion with the current time and exchanges it.
    func fetch() async throws(AccessTokenError) -> AccessToken {
        let time = now()
        let response = try await exchange(assertion(issuedAt: time))
        let answer = AccessTokenAnswer(
            status: response.statusCode, retryAfter: response.headerFields[.retryAfter], body: response.body)
        do {
            return try answer.token(issuedAt: time)
        } catch {
            logger.log(
                level: error.kind == .refused ? .error : .notice,
                "failed to get an access token for the service account",
                metadata: [
                    "account": "\(account.clientEmail)", "reason": "\(error.reason)",
                    "explanation": "\(answer.explanation ?? "none given")",
                ])
            throw error
        }
    }

    private func assertion(issuedAt time: Int64) throws(AccessTokenError) -> String {
        do {
            return try AccessTokenAssertion.signed(by: account, issuedAt: time)
        } catch {
            logger.error("failed to sign an assertion", metadata: ["error": "\(error)"])
            throw AccessTokenError(kind: .refused, reason: "CannotSignAssertion")
        }
    }

    private func exchange(_ assertion: String) async throws(AccessTokenError) -> HTTPClientResponse {
        let request = HTTPClientRequest(
            method: .post, url: account.tokenURI,
            headerFields: [.contentType: "application/x-www-form-urlencoded"],
            body: Array("grant_type=\(Self.grantType)&assertion=\(assertion)".utf8), deadline: deadline)
        do {
            return try await client.execute(request)
        } catch {
            guard error.kind != .cancelled else { throw AccessTokenError(kind: .cancelled, reason: "cancelled") }
            logger.notice("failed to get a response from the token endpoint", metadata: ["error": "\(error)"])
            throw AccessTokenError(
                kind: error.kind == .invalidRequest ? .refused : .unavailable, reason: "\(error.kind)")
        }
    }

    /// The grant type of RFC 7523 §2.1, percent-encoded for a form. An assertion has no character that needs
    /// encoding.
    private static let grantType = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
}

/// A response of the token endpoint, and its meaning (RFC 6749 §5).
struct AccessTokenAnswer: Sendable {
    private let status: Int
    private let retryAfter: Duration?
    private let json: JSONValue?

    /// - Parameter body: `{"access_token":…,"expires_in":…}`, `{"error":…,"error_description":…}`, or any other
    ///   bytes.
    init(status: Int, retryAfter: String?, body: [UInt8]) {
        self.status = status
        self.retryAfter = RetryAfter.duration(retryAfter)
        json = try? JSONValue(parsing: body)
    }

    /// The lifetime if the answer names none, in seconds: an hour, as Google's tokens have. RFC 6749 §5.1 recommends
    /// naming it. The lower bound keeps a token from expiring before its first use.
    private static let standardLifetime: Int64 = 3_600
    private static let lifetimes: ClosedRange<Int64> = 60...86_400

    /// Returns the token of the answer.
    ///
    /// - Parameter time: the time of the request, in seconds since 1970.
    func token(issuedAt time: Int64) throws(AccessTokenError) -> AccessToken {
        guard status == 200 else { throw refusal }
        guard let value = json?["access_token"]?.string, !value.isEmpty else {
            throw AccessTokenError(kind: .unavailable, reason: "NoAccessToken", retryAfter: retryAfter)
        }
        // The RFC requires a number of seconds; some servers send a string.
        let lifetime = json?["expires_in"]?.integer ?? json?["expires_in"]?.string.flatMap { Int64($0) }
        let bounds = Self.lifetimes
        return AccessToken(
            value: value, issuedAt: time,
            lifetime: min(max(lifetime ?? Self.standardLifetime, bounds.lowerBound), bounds.upperBound))
    }

    /// Google's description of the error, for the log, cut to a length that no assertion fits into.
    var explanation: String? { (json?["error_description"]?.string).map { String($0.prefix(200)) } }

    private var refusal: AccessTokenError {
        let word = (json?["error"]?.string).map { String($0.prefix(100)) }
        let isPassing = !(400..<500).contains(status) || status == 408 || status == 429
        return AccessTokenError(
            kind: isPassing ? .unavailable : .refused, reason: word ?? "HTTP\(status)", retryAfter: retryAfter)
    }
}

/// The JSON Web Token with which a service account requests an access token (RFC 7523 §2.1 and §3).
///
/// [Preparing to make an authorized API call](https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests):
/// RS256 over `{"alg":"RS256","typ":"JWT","kid":…}` and `{"iss":…,"scope":…,"aud":…,"iat":…,"exp":…}`.
enum AccessTokenAssertion {
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    /// The maximum that Google accepts, in seconds.
    private static let lifetime: Int64 = 3_600

    /// Returns a signed assertion.
    ///
    /// - Parameter issuedAt: seconds since 1970.
    static func signed(by account: ServiceAccount, issuedAt: Int64) throws(CryptographyError) -> String {
        let header: JSONValue = ["alg": "RS256", "typ": "JWT", "kid": .string(account.privateKeyID)]
        let claims: JSONValue = [
            "iss": .string(account.clientEmail), "scope": .string(scope), "aud": .string(account.tokenURI),
            "iat": .integer(issuedAt), "exp": .integer(issuedAt + lifetime),
        ]
        return try CompactJWS(
            header: header.serialized, payload: claims.serialized, sign: account.privateKey.signature
        ).text
    }
}
