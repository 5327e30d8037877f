import Functions
import HTTPTypes
import Hummingbird

/// The rule that tells requests by pages of other sites from the gateway's own.
///
/// An endpoint without credentials trusts every client that reaches it. On loopback, that includes every page in this
/// machine's browser. The browser reports the page's origin in `Origin`, or at least in `Sec-Fetch-Site` ([Fetch
/// Metadata](https://www.w3.org/TR/fetch-metadata/)). A page whose own host name resolves to this machine (DNS
/// rebinding) has the same origin for the browser, but its name is in `Host`.
struct OriginPolicy: Sendable {
    /// The parts of a request that the decision depends on.
    struct Request: Sendable {
        /// The `Host` field, or `:authority` with HTTP/2.
        var authority: String?
        var origin: String?
        /// The `Sec-Fetch-Site` field.
        var fetchSite: String?
        /// The `Sec-Fetch-Dest` field.
        var fetchDestination: String?
        /// `true` if the request arrived at a listener for clients that expect Google's hosts.
        var isForGoogle = false
        /// `true` if the peer is a trusted proxy, which may have changed `Host`.
        var isFromTrustedProxy = false
    }

    /// The names of the gateway besides those of loopback and Google.
    private let names: [GatewayName]
    private let listensOnLoopbackOnly: Bool

    init(names: [GatewayName], listensOnLoopbackOnly: Bool) {
        self.names = names
        self.listensOnLoopbackOnly = listensOnLoopbackOnly
    }

    /// Returns the reason to refuse a request; `nil` if there is none.
    func refusal(of request: Request) -> OriginRefusal? {
        let authority = request.authority.flatMap { Authority($0) }
        if let origin = request.origin {
            guard let origin = WebOrigin(origin) else { return .page(nil) }
            guard isOwn(origin, authority, request) else { return .page(origin) }
        } else if request.fetchSite == "cross-site", request.fetchDestination != "document" {
            // A user who follows a link sees its target. A page can make all other requests unseen.
            return .page(nil)
        }
        guard listensOnLoopbackOnly, !request.isFromTrustedProxy, request.authority?.isEmpty == false else {
            return nil
        }
        guard let authority, isOwn(authority.host, request) else { return .host(authority) }
        return nil
    }

    private func isOwn(_ host: String, _ request: Request) -> Bool {
        isBuiltIn(host, request) || names.contains { $0.host == host }
    }

    /// Returns `true` if the origin is the gateway's. Another port of this machine belongs to another program.
    private func isOwn(_ origin: WebOrigin, _ authority: Authority?, _ request: Request) -> Bool {
        if names.contains(where: { $0.covers(origin, requestPort: authority?.port) }) { return true }
        return isBuiltIn(origin.host, request) && origin.port == authority?.port ?? origin.standardPort
    }

    private func isBuiltIn(_ host: String, _ request: Request) -> Bool {
        IPAddress.isLoopback(host: host) || request.isForGoogle && GoogleHosts.names.contains(host)
    }
}

extension OriginPolicy {
    /// Creates the policy of a gateway from the names in its configuration.
    ///
    /// - Parameter certified: The names in its certificates.
    init(_ configuration: GatewayConfiguration, _ certified: [String] = []) {
        let urls = configuration.modules.settings.compactMap(\.publicURL)
        self.init(
            names: configuration.http.names + urls.compactMap(GatewayName.init(ofURL:))
                + certified.compactMap { GatewayName($0) },
            listensOnLoopbackOnly: IPAddress.isLoopback(host: configuration.http.host))
    }
}

/// A reason that an endpoint without credentials refuses a request.
enum OriginRefusal: Hashable, Sendable {
    /// A page of another site made the request; `nil` if the browser does not name the site, as for `Origin: null`.
    case page(WebOrigin?)
    /// The request used a name that is not the gateway's; `nil` if `Host` is not a valid name.
    case host(Authority?)

    /// The reason, and the settings that can allow the request.
    var message: String {
        switch self {
        case .page(let origin?):
            "this endpoint requires no credentials and therefore refuses pages of \(origin). If they are yours, "
                + "add \(origin) to http.names"
        case .page(nil):
            "this endpoint requires no credentials and therefore refuses pages of other sites, and pages that hide "
                + "their origin. If the page is yours, serve it from a host of http.names"
        case .host(let authority):
            "\(authority.map { "“\($0.host)”" } ?? "the request's Host") is not a name of this gateway. If it should "
                + "be, add it to http.names; if a proxy passed the request on, add the proxy to http.trustedProxies"
        }
    }
}

/// A middleware that keeps pages of other sites away from endpoints without credentials.
struct OriginGuard: RouterMiddleware {
    typealias Context = GatewayRequestContext

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
    private static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")

    let policy: OriginPolicy
    let clientAddress: ClientAddress

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let refusal = refusal(of: request, context) {
            throw APIError(status: .forbidden, name: "PERMISSION_DENIED", message: refusal.message)
        }
        return try await next(request, context)
    }

    /// Returns the reason to refuse a request; `nil` if there is none. Endpoints with their own form of errors call
    /// it directly.
    func refusal(of request: Request, _ context: Context) -> OriginRefusal? {
        let headers = request.headers
        return policy.refusal(
            of: OriginPolicy.Request(
                authority: request.head.authority, origin: headers[.origin],
                fetchSite: Self.fetchSite.flatMap { headers[$0] },
                fetchDestination: Self.fetchDestination.flatMap { headers[$0] }, isForGoogle: context.isForGoogle,
                isFromTrustedProxy: context.peer.map(clientAddress.isTrusted) ?? false))
    }
}
