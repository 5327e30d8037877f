internal import Functions

/// Decides which requests pages of other sites may have made.
///
/// An endpoint that asks for no credentials trusts whoever reaches it. On loopback that includes every page in this machine's
/// browser. The browser says whose page it is in `Origin`, or at least in `Sec-Fetch-Site`
/// ([Fetch Metadata](https://www.w3.org/TR/fetch-metadata/)). A page that has its own name lead to this machine (DNS
/// rebinding) is of the same origin to the browser; its name is in `Host`.
struct OriginPolicy: Sendable {
    /// The parts of a request that the decision depends on.
    struct Request: Sendable {
        /// `Host`, or `:authority` with HTTP/2.
        var authority: String?
        var origin: String?
        /// `Sec-Fetch-Site`
        var fetchSite: String?
        /// `Sec-Fetch-Dest`
        var fetchDestination: String?
        /// A Boolean value indicating whether it came by a listener for clients that look for Google.
        var isForGoogle = false
        /// A Boolean value indicating whether its peer is a trusted proxy, which may have put any `Host` there.
        var isFromTrustedProxy = false
    }

    /// The names that the gateway has besides loopback's and Google's.
    private let names: [GatewayName]
    private let listensOnLoopbackOnly: Bool

    init(names: [GatewayName], listensOnLoopbackOnly: Bool) {
        self.names = names
        self.listensOnLoopbackOnly = listensOnLoopbackOnly
    }

    /// Returns the reason to refuse a request, `nil` if there is none.
    func refusal(of request: Request) -> OriginRefusal? {
        let authority = request.authority.flatMap { Authority($0) }
        if let origin = request.origin {
            guard let origin = WebOrigin(origin) else { return .page(nil) }
            guard isOwn(origin, authority, request) else { return .page(origin) }
        } else if request.fetchSite == "cross-site", request.fetchDestination != "document" {
            // A link somebody follows shows what it leads to; everything else a page can do unseen.
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

    /// Another port of this machine is another program's.
    private func isOwn(_ origin: WebOrigin, _ authority: Authority?, _ request: Request) -> Bool {
        if names.contains(where: { $0.covers(origin, requestPort: authority?.port) }) { return true }
        return isBuiltIn(origin.host, request) && origin.port == authority?.port ?? origin.standardPort
    }

    private func isBuiltIn(_ host: String, _ request: Request) -> Bool {
        IPAddress.isLoopback(host: host) || request.isForGoogle && GoogleHosts.names.contains(host)
    }
}

extension OriginPolicy {
    /// The policy of a gateway, whose names are those of its settings.
    init(_ configuration: GatewayConfiguration) {
        let publicURL = configuration.systems.humanTasks?.publicURL
        self.init(
            names: configuration.http.names + [publicURL.flatMap(GatewayName.init(ofURL:))].compactMap(\.self),
            listensOnLoopbackOnly: IPAddress.isLoopback(host: configuration.http.host))
    }
}

/// The reason why a request is refused where no credentials are asked for.
enum OriginRefusal: Hashable, Sendable {
    /// Another site's page made it; `nil` if the browser does not say whose, as for `Origin: null`.
    case page(WebOrigin?)
    /// It came by another name than the gateway's; `nil` if that is no name.
    case host(Authority?)

    /// The reason in words, and the settings that help.
    var message: String {
        switch self {
        case .page(let origin?):
            "this endpoint asks for no credentials and so is not for pages of \(origin). If they are yours, add "
                + "\(origin) to http.names"
        case .page(nil):
            "this endpoint asks for no credentials and so is not for pages of other sites, nor for those that hide "
                + "their origin. If the page is yours, serve it from a host of http.names"
        case .host(let authority):
            "\(authority.map { "“\($0.host)”" } ?? "the request's Host") is no name of this gateway. If it is one, add "
                + "it to http.names; if a proxy passed the request on, add the proxy to http.trustedProxies"
        }
    }
}
