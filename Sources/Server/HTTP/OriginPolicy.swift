package import HTTPTypes
import IPAddresses

/// The rule that tells requests by pages of other sites from the gateway's own.
///
/// An endpoint without credentials trusts every client that reaches it. On loopback, that includes every page in this
/// machine's browser. The browser reports the page's origin in `Origin`, or at least in `Sec-Fetch-Site` ([Fetch
/// Metadata](https://www.w3.org/TR/fetch-metadata/)). A page whose own host name resolves to this machine (DNS
/// rebinding) has the same origin for the browser, but its name is in `Host`.
package struct OriginPolicy: Sendable {
    /// The parts of a request that the decision depends on.
    package struct Request: Sendable {
        /// The `Host` field, or `:authority` with HTTP/2.
        var authority: String?
        /// The `Origin` field.
        package var origin: String?
        /// The `Sec-Fetch-Site` field.
        package var fetchSite: String?
        /// The `Sec-Fetch-Dest` field.
        var fetchDestination: String?
        /// The hosts under which clients reach the listener, besides the names of the gateway.
        var listenerHosts: [String]
        /// `true` if the peer is a trusted proxy, which may have changed `Host`.
        var isFromTrustedProxy: Bool

        /// Takes the parts of a request.
        init(
            authority: String? = nil, origin: String? = nil, fetchSite: String? = nil, fetchDestination: String? = nil,
            listenerHosts: [String] = [], isFromTrustedProxy: Bool = false
        ) {
            self.authority = authority
            self.origin = origin
            self.fetchSite = fetchSite
            self.fetchDestination = fetchDestination
            self.listenerHosts = listenerHosts
            self.isFromTrustedProxy = isFromTrustedProxy
        }
    }

    /// The names of the gateway besides those of loopback.
    private let names: [GatewayName]
    private let listensOnLoopbackOnly: Bool

    /// Creates the policy of a gateway with these names.
    package init(names: [GatewayName], listensOnLoopbackOnly: Bool) {
        self.names = names
        self.listensOnLoopbackOnly = listensOnLoopbackOnly
    }

    /// Returns the reason to refuse a request; `nil` if there is none.
    package func refusal(of request: Request) -> OriginRefusal? {
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
        IPAddress.isLoopback(host: host) || request.listenerHosts.contains(host)
    }
}

/// A reason that an endpoint without credentials refuses a request.
package enum OriginRefusal: Hashable, Sendable {
    /// A page of another site made the request; `nil` if the browser does not name the site, as for `Origin: null`.
    case page(WebOrigin?)
    /// The request used a name that is not the gateway's; `nil` if `Host` is not a valid name.
    case host(Authority?)
}

extension OriginPolicy.Request {
    private static let fetchSiteField = HTTPField.Name("Sec-Fetch-Site")
    private static let fetchDestinationField = HTTPField.Name("Sec-Fetch-Dest")

    /// Takes the parts of a request from its fields.
    package init(
        authority: String?, headerFields: HTTPFields, listenerHosts: [String], isFromTrustedProxy: Bool
    ) {
        self.init(
            authority: authority, origin: headerFields[.origin],
            fetchSite: Self.fetchSiteField.flatMap { headerFields[$0] },
            fetchDestination: Self.fetchDestinationField.flatMap { headerFields[$0] }, listenerHosts: listenerHosts,
            isFromTrustedProxy: isFromTrustedProxy)
    }
}
