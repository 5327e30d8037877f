import Foundation
import Functions
import HTTPTypes
import Hummingbird
import JSON
import Metrics
import RequestRules
import Server

/// The endpoint `POST /token`, also at the paths of Google's token endpoints: exchanges a service account's assertion
/// for an access token, as [Google](https://developers.google.com/identity/protocols/oauth2/service-account#httprest)
/// does.
///
/// An address with repeated refused assertions must wait. A service account's key gets at most 1,000 tokens a minute:
/// an SDK may refresh on 500 threads at once, and a token is valid for an hour.
///
/// In emulator mode (without credentials for a push service) every request gets a token, `owner`. Only the assertion of
/// an account that was made for Firestore gets a real one there too, because Firestore's interface is not open to
/// everyone in this mode either.
struct TokenEndpoint: Sendable {
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let maximumBytes = 64 * 1024
    /// The name for the log.
    private static let name = "/token"
    /// The access token that emulators issue.
    private static let emulatedToken = "owner"
    /// The maximum number of tokens for a service account's key.
    private static let tokensPerMinute = 1_000

    let tokens: AccessTokens
    let accounts: ServiceAccounts
    let isEmulator: Bool
    /// The origin check; `nil` if the endpoint requires an assertion.
    let originGuard: OriginGuard?
    let refusals: RefusalLog

    private let authentication = AuthenticationLimiter()
    private let quota = FixedWindowLimiter(limit: tokensPerMinute, everySeconds: 60)

    func add(to router: RouterGroup<GatewayRequestContext>) {
        for path in TokenPath.all {
            router.post(RouterPath(path)) { request, context in await answer(request, context) }
        }
    }

    private func answer(_ request: Request, _ context: GatewayRequestContext) async -> Response {
        if let refusal = originGuard?.refusal(of: request, context) {
            refusals.report(.forbidden, refusal.message, at: Self.name, request, context)
            return Self.response(refusal)
        }
        do {
            let form = try await form(of: request)
            let token = try token(for: form, from: refusals.clientAddress.limitKeys(of: request, context))
            Self.count("granted")
            return Self.response(token)
        } catch {
            Self.count(error.retryAfter == nil ? "refused" : "rate_limited")
            let response = error.response
            refusals.report(response.status, error.description, at: Self.name, request, context)
            return response
        }
    }

    private static func count(_ outcome: String) {
        Counter(label: "pushgate_token_requests_total", dimensions: [("outcome", outcome)]).increment()
    }

    /// - Parameter networks: The client's address and the networks that contain it, narrowest first.
    private func token(for form: [String: String], from networks: [String]) throws(TokenError) -> String {
        if isEmulator { return tokenForFirestore(form) ?? Self.emulatedToken }
        let assertion: Assertion
        do throws(TokenError) {
            assertion = try self.assertion(in: form)
        } catch {
            try check(authentication.judge(nil, from: networks, at: tokens.now()))
            throw error
        }
        try check(authentication.judge(Array(assertion.keyID.utf8), from: networks, at: tokens.now()))
        if let seconds = quota.admit(assertion.keyID, at: tokens.now()) {
            throw .rateLimited(
                "a service account's key gets at most \(Self.tokensPerMinute) tokens a minute", retryAfter: seconds)
        }
        return tokens.token(forProject: assertion.project, scopes: assertion.scopes, account: assertion.keyID)
    }

    /// Returns a token for an account that was made for Firestore; `nil` for all others.
    private func tokenForFirestore(_ form: [String: String]) -> String? {
        guard let text = form["assertion"], let assertion = try? Assertion(text, accounts: accounts, now: tokens.now()),
            assertion.scopes.contains(.firestore)
        else { return nil }
        return tokens.token(forProject: assertion.project, scopes: assertion.scopes, account: assertion.keyID)
    }

    private func check(_ verdict: AuthenticationLimiter.Verdict) throws(TokenError) {
        if case .tooManyFailures(let seconds) = verdict {
            throw .rateLimited("too many refused assertions from this address", retryAfter: seconds)
        }
    }

    private func assertion(in form: [String: String]) throws(TokenError) -> Assertion {
        guard form["grant_type"] == Self.grantType else {
            throw TokenError(code: "unsupported_grant_type", description: "the only grant type is \(Self.grantType)")
        }
        guard let text = form["assertion"] else {
            throw TokenError(code: "invalid_request", description: "the form has no assertion")
        }
        return try Assertion(text, accounts: accounts, now: tokens.now())
    }

    private func form(of request: Request) async throws(TokenError) -> [String: String] {
        let body: [UInt8]
        do {
            body = try await request.boundedBody(maximumBytes: Self.maximumBytes)
        } catch {
            throw TokenError(error)
        }
        return URLEncodedForm.values(of: body)
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
