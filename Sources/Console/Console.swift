import DocumentStore
import Functions
import HTTPTypes
package import Hummingbird
import NIOCore
import RequestRules
package import Server

/// The console: pages at `/` and `/console/…` for the operator, rendered here. They work without scripts, and load
/// nothing from elsewhere.
///
/// Every page but the first needs a session, see ``ConsoleAccess``; without one, the first page is the way to sign in,
/// and leads on to the page that was asked for.
/// A change is a form with POST, and its answer leads to the page that shows it.
package struct Console: Sendable {
    private typealias Page = @Sendable (ConsoleVisit) async throws -> ConsoleAnswer
    private typealias FormPage = ConsolePart.Route.FormPage

    private let services: ConsoleServices
    private let access: ConsoleAccess
    private let refusals: RefusalLog
    private let parts: [ConsolePart]

    private static let maximumTokenBytes = 4_096
    /// The name for the log.
    private static let signInName = "/console/sign-in"

    package init(services: ConsoleServices, access: ConsoleAccess, refusals: RefusalLog) {
        self.services = services
        self.access = access
        self.refusals = refusals
        parts = ConsolePart.all(services)
    }

    /// Adds the routes of all pages.
    package func add(to router: Router<GatewayRequestContext>) {
        router.get("/") { request, context in
            guard let session = access.session(of: request) else {
                return HomePage.response(leadingTo: ConsoleDestination(request.uri.queryParameters["next"]))
            }
            let visit = ConsoleVisit(request: request, context: context, session: session)
            return try await answer(visit) { visit in
                let span = visit.parameter("span").flatMap { ChartSpan(rawValue: $0) } ?? .hour
                return .page(await OverviewPage(services: services, span: span).page())
            }
        }
        router.get("/console") { _, _ in Self.see("/") }
        router.post("/console/sign-in") { request, context in try await signIn(request, context) }
        // After a wrong token the browser is at this address, and may load it again.
        router.get("/console/sign-in") { _, _ in Self.see("/") }
        router.post("/console/sign-out") { request, context in
            try access.checkOrigin(request, context)
            return Self.see("/", [.setCookie: access.signOut(request)])
        }
        for file in [ConsoleFile.style, .script] { router.get(RouterPath(file.path)) { _, _ in file.response } }
        router.get("/console/changes") { request, _ in
            let isSignedIn = access.watch(request)
            guard isSignedIn() else { return Response(status: .unauthorized) }
            return ConsoleChanges(
                store: services.store, inbox: services.inbox, isSignedIn: isSignedIn
            ).response
        }
        for route in parts.flatMap(\.routes) {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await visit(request, context, route.answer, route.form)
            }
        }
        router.get(RouterPath(ConsoleSection.search.path)) { request, context in
            try await visit(request, context) { .page(try await SearchPage(services: services, visit: $0).page()) }
        }
        router.get("/console/**") { request, context in
            try await visit(request, context) { _ in .page(.unknownAddress) }
        }
    }

    /// The page at an address that has none, for people who open it in a browser.
    package static var unknownAddress: Response { HomePage.unknownAddress }

    // MARK: Answers

    /// Answers a request of a user who is signed in; leads all others to the first page.
    private func visit(
        _ request: Request, _ context: GatewayRequestContext, _ page: Page, _ form: FormPage? = nil
    ) async throws -> Response {
        guard let session = access.session(of: request) else {
            return Self.see(request.method == .get ? ConsoleDestination(request.uri.string).signInPath : "/")
        }
        return try await answer(ConsoleVisit(request: request, context: context, session: session), page, form)
    }

    private func answer(_ visit: ConsoleVisit, _ page: Page, _ form: FormPage? = nil) async throws -> Response {
        var visit = visit
        let answer: ConsoleAnswer
        do {
            if visit.request.method != .get, visit.request.method != .head {
                try access.checkOrigin(visit.request, visit.context)
                visit.values = try await visit.readForm()
            }
            answer = try await page(visit)
        } catch let error as APIError {
            let endpoint = visit.context.endpointPath ?? "/console"
            refusals.report(error.status, error.message, at: endpoint, visit.request, visit.context)
            answer = .page(await Self.page(refusing: visit, error, form))
        } catch let error as StoreError where error.code != .internal {
            answer = .page(await Self.page(refusing: visit, APIError(error), form))
        }
        switch answer {
        case .see(let path, let done):
            if let done { access.leave(done, for: visit.request) }
            return Self.see(path)
        case .page(let page):
            let html = page.html(
                for: visit.session, menu: parts.map(\.section), notice: access.takeNotice(for: visit.request))
            return Self.response(html.description, page.status)
        case .file(let type, let name, let body):
            var headers = Self.headers(type: type)
            headers[.contentDisposition] = "attachment; filename=\"\(name.filter { $0 != "\"" && $0.isASCII })\""
            return Response(status: .ok, headers: headers, body: body)
        }
    }

    /// Returns the page with the form that was refused, as it was filled in, and with the reason; the page of an error
    /// if there is none.
    private static func page(refusing visit: ConsoleVisit, _ error: APIError, _ form: FormPage?) async -> ConsolePage {
        var visit = visit
        visit.isRefused = true
        guard let form, visit.mayChange, visit.hasFormKey, var page = try? await form(visit) else {
            return .error(error.status, error.message)
        }
        page.status = error.status
        page.problem = error.message.capitalizedSentence
        page.isLive = false
        return page
    }

    private static func response(_ html: String, _ status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: headers(type: "text/html; charset=utf-8"),
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private static func see(_ path: String, _ more: HTTPFields = [:]) -> Response {
        var headers: HTTPFields = [.location: path, .cacheControl: "no-store"]
        headers.append(contentsOf: more)
        return Response(status: .seeOther, headers: headers)
    }

    private static func headers(type: String) -> HTTPFields {
        var fields: HTTPFields = [
            .contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ]
        for (name, value) in [
            ("Referrer-Policy", "same-origin"), ("X-Frame-Options", "DENY"), ("X-Robots-Tag", "noindex, nofollow"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }

    // MARK: Sign-in

    private func signIn(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try access.checkOrigin(request, context)
        let form = URLEncodedForm.values(of: try await request.boundedBody(maximumBytes: Self.maximumTokenBytes))
        let destination = ConsoleDestination(form["next"])
        do throws(ConsoleAccess.Refusal) {
            return Self.see(
                destination.path, [.setCookie: try access.signIn(form["token"] ?? "", request, context)])
        } catch {
            switch error {
            case .wrongToken:
                refusals.report(.forbidden, "a wrong token", at: Self.signInName, request, context)
                return HomePage.response(
                    refusing: "This is not the token of this gateway. It is in the data directory's file admin-token, "
                        + "or in the setting admin.token.", leadingTo: destination, status: .forbidden)
            case .tooManyGuesses(let seconds):
                refusals.report(.tooManyRequests, "too many wrong tokens", at: Self.signInName, request, context)
                var response = HomePage.response(
                    refusing: "Too many wrong tokens came from this address. Try again in "
                        + "\(ConsoleText.duration(.seconds(seconds))).",
                    leadingTo: destination, status: .tooManyRequests)
                response.headers[.retryAfter] = String(seconds)
                return response
            }
        }
    }
}
