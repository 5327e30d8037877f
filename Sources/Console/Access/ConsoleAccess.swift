import Cryptography
package import DocumentStore
import Foundation
import Functions
import HTTPTypes
import Hummingbird
package import RequestRules
package import Secrets
import Server

/// The access to the console: sign-in with a token, and the cookie of the session.
///
/// The cookie reaches no script (HttpOnly) and no other site (SameSite=Strict). A change needs the session's form key
/// too, and an `Origin` of the gateway. Guesses at tokens are limited by the client's address.
package struct ConsoleAccess: Sendable {
    /// A refused sign-in.
    enum Refusal: Error {
        case wrongToken
        case tooManyGuesses(retryAfter: Int64)
    }

    private static let cookieName = "pushgate-console"

    let sessions: ConsoleSessions
    let adminToken: RedactedString
    /// The token that reads only; `nil` if there is none.
    let readToken: RedactedString?
    let originGuard: OriginGuard
    let now: @Sendable () -> Timestamp

    private let guesses = AuthenticationLimiter()

    /// Creates the access with the tokens of a gateway.
    package init(
        adminToken: RedactedString, readToken: RedactedString?, originGuard: OriginGuard,
        now: @escaping @Sendable () -> Timestamp
    ) {
        sessions = ConsoleSessions(now: now)
        self.adminToken = adminToken
        self.readToken = readToken
        self.originGuard = originGuard
        self.now = now
    }

    // MARK: Sessions

    /// Returns the session of a request; `nil` if its client is not signed in.
    func session(of request: Request) -> ConsoleSessions.Session? {
        Self.id(in: request).flatMap { sessions.session($0, isUse: !Self.isRefresh(request)) }
    }

    /// Keeps words about a change for the next page of the session of a request.
    func leave(_ notice: String, for request: Request) {
        if let id = Self.id(in: request) { sessions.leave(notice, for: id) }
    }

    /// Returns the words about a change that no page has shown yet. A page that shows changes by itself does not take
    /// them.
    func takeNotice(for request: Request) -> String? {
        guard request.method == .get, !Self.isRefresh(request) else { return nil }
        return Self.id(in: request).flatMap { sessions.takeNotice(for: $0) }
    }

    /// `true` for a request that a page makes by itself.
    private static func isRefresh(_ request: Request) -> Bool {
        HTTPField.Name("X-Console-Refresh").map { request.headers[$0] != nil } ?? false
    }

    /// Returns a function that tells if the client of a request is still signed in. Its calls are no use of the
    /// session.
    func watch(_ request: Request) -> @Sendable () -> Bool {
        let (id, sessions) = (Self.id(in: request), sessions)
        return { id.flatMap { sessions.session($0, isUse: false) } != nil }
    }

    /// Begins a session.
    ///
    /// - Returns: The value of `Set-Cookie`.
    func signIn(_ token: String, _ request: Request, _ context: GatewayRequestContext) throws(Refusal) -> String {
        let role = role(of: token.trimmingCharacters(in: .whitespacesAndNewlines))
        let networks = originGuard.clientAddress.limitKeys(of: request, context)
        let credential = role.map { SHA256.digest(of: Array("\($0)".utf8)) }
        switch guesses.judge(credential, from: networks, at: now().seconds) {
        case .accepted: break
        case .rejected: throw .wrongToken
        case .tooManyFailures(let seconds): throw .tooManyGuesses(retryAfter: seconds)
        }
        guard let role else { throw .wrongToken }
        return Self.cookie(sessions.begin(role), request)
    }

    /// Ends the session of a request.
    ///
    /// - Returns: The value of `Set-Cookie`.
    func signOut(_ request: Request) -> String {
        if let id = Self.id(in: request) { sessions.end(id) }
        return Self.cookie("", request) + "; Max-Age=0"
    }

    private func role(of token: String) -> ConsoleRole? {
        let bytes = Array(token.utf8)
        let isAdministrator = ConstantTime.equal(bytes, Array(adminToken.value.utf8))
        let isReader = readToken.map { ConstantTime.equal(bytes, Array($0.value.utf8)) } ?? false
        return isAdministrator ? .administrator : isReader ? .reader : nil
    }

    private static func id(in request: Request) -> String? {
        for pair in (request.headers[.cookie] ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            if parts.count == 2, parts[0] == cookieName { return parts[1] }
        }
        return nil
    }

    private static func cookie(_ value: String, _ request: Request) -> String {
        "\(cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict" + (request.isOverTLS ? "; Secure" : "")
    }

    // MARK: Forms

    /// Refuses forms of pages that are not the gateway's.
    func checkOrigin(_ request: Request, _ context: GatewayRequestContext) throws(APIError) {
        let origin = request.headers[.origin].flatMap { WebOrigin($0) }
        // A proxy may pass requests on under the name that its clients use, whatever names the gateway knows.
        if let origin, let authority = request.head.authority.flatMap({ Authority($0) }),
            origin.host == authority.host, origin.port == authority.port ?? origin.standardPort
        {
            return
        }
        guard let refusal = originGuard.refusal(of: request, context) else { return }
        throw APIError(status: .forbidden, name: "PERMISSION_DENIED", message: refusal.message)
    }
}

extension Request {
    /// `true` if the client reached the gateway, or a proxy in front of it, over TLS.
    var isOverTLS: Bool {
        head.scheme == "https" || HTTPField.Name("X-Forwarded-Proto").flatMap { headers[$0] } == "https"
            || headers.forwarded("proto").last == "https"
    }
}
