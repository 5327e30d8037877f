internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JSON

/// `POST /token`: an access token for a service account's assertion, as
/// [Google's](https://developers.google.com/identity/protocols/oauth2/service-account#httprest) does it.
///
/// While nothing leaves the gateway (there are no credentials for a push service) any assertion gets one.
struct TokenEndpoint: Sendable {
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let maximumBytes = 64 * 1024
    /// What emulators hand out.
    private static let emulatedToken = "owner"

    let tokens: AccessTokens
    let accounts: ServiceAccounts
    let isEmulator: Bool
    /// `nil` where an assertion is asked for.
    let originGuard: OriginGuard?

    func add(to router: Router<GatewayRequestContext>) {
        router.post("/token") { request, context in
            if let refusal = originGuard?.refusal(of: request, context) { return Self.response(refusal) }
            do {
                return Self.response(try token(for: try await form(of: request)))
            } catch let error as TokenError {
                return Response(
                    status: .badRequest,
                    json: ["error": .string(error.code), "error_description": .string(error.description)])
            }
        }
    }

    private func token(for form: [String: String]) throws(TokenError) -> String {
        if isEmulator { return Self.emulatedToken }
        guard form["grant_type"] == Self.grantType else {
            throw TokenError(code: "unsupported_grant_type", description: "the one grant type is \(Self.grantType)")
        }
        guard let text = form["assertion"] else {
            throw TokenError(code: "invalid_request", description: "the form has no assertion")
        }
        return tokens.token(forProject: try Assertion(text, accounts: accounts, now: tokens.now()).project)
    }

    /// `application/x-www-form-urlencoded` ([URL standard](https://url.spec.whatwg.org/#urlencoded-parsing)).
    private func form(of request: Request) async throws -> [String: String] {
        let body = try await request.boundedBody(maximumBytes: Self.maximumBytes)
        var form: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0.map { $0 == "+" ? " " : $0 }).removingPercentEncoding ?? "" }
            form[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
        return form
    }

    private static func response(_ refusal: OriginRefusal) -> Response {
        Response(
            status: .forbidden,
            json: ["error": "access_denied", "error_description": .string(refusal.message)])
    }

    private static func response(_ token: String) -> Response {
        Response(
            headers: [.cacheControl: "no-store"],
            json: [
                "access_token": .string(token), "expires_in": .integer(AccessTokens.lifetime), "token_type": "Bearer",
            ])
    }
}
