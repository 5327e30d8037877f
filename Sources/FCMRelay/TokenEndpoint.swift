internal import Cryptography
internal import HTTPTransport
internal import HTTPTypes
internal import Logging

/// Where a service account's assertion is exchanged for an access token: one request at a time, nothing kept.
struct TokenEndpoint: Sendable {
    let account: ServiceAccount
    let client: HTTPClient
    let deadline: Duration
    /// Seconds since 1970.
    let now: @Sendable () -> Int64
    let logger: Logger

    /// Signs an assertion of this moment and exchanges it.
    func fetch() async throws(AccessTokenError) -> AccessToken {
        let time = now()
        let response = try await exchange(assertion(issuedAt: time))
        let answer = AccessTokenAnswer(
            status: response.statusCode, retryAfter: response.headerFields[.retryAfter], body: response.body)
        do {
            return try answer.token(issuedAt: time)
        } catch {
            logger.log(
                level: error.kind == .refused ? .error : .notice, "no access token for the service account",
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
            logger.error("could not sign an assertion", metadata: ["error": "\(error)"])
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
            logger.notice("no answer from the token endpoint", metadata: ["error": "\(error)"])
            throw AccessTokenError(
                kind: error.kind == .invalidRequest ? .refused : .unavailable, reason: "\(error.kind)")
        }
    }

    /// RFC 7523 §2.1, percent-encoded for a form; an assertion has no character that would have to be.
    private static let grantType = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
}
