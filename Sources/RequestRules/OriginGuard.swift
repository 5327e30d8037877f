import HTTPTypes
package import Hummingbird
package import Server

/// A middleware that keeps pages of other sites away from endpoints without credentials.
package struct OriginGuard: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    /// The rules for origins.
    package let policy: OriginPolicy
    /// The resolver of clients' addresses.
    package let clientAddress: ClientAddress

    package init(policy: OriginPolicy, clientAddress: ClientAddress) {
        self.policy = policy
        self.clientAddress = clientAddress
    }

    /// Passes a request on, or refuses it with `PERMISSION_DENIED`.
    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try check(request, context)
        return try await next(request, context)
    }

    /// Refuses a request with `PERMISSION_DENIED`, if there is a reason.
    package func check(_ request: Request, _ context: Context) throws(APIError) {
        if let refusal = refusal(of: request, context) {
            throw APIError(status: .forbidden, name: "PERMISSION_DENIED", message: refusal.message)
        }
    }

    /// Returns the reason to refuse a request; `nil` if there is none. Endpoints with their own form of errors call
    /// it directly.
    package func refusal(of request: Request, _ context: Context) -> OriginRefusal? {
        var facts = OriginPolicy.Request(
            authority: request.head.authority, headerFields: request.headers, listenerHosts: context.listenerHosts,
            isFromTrustedProxy: context.peer.map(clientAddress.isTrusted) ?? false)
        // The page is allowed, but its name for the gateway must still be the gateway's.
        if context.isFromAllowedPage { (facts.origin, facts.fetchSite) = (nil, nil) }
        return policy.refusal(of: facts)
    }
}

extension OriginRefusal {
    /// The reason, and the settings that can allow the request.
    package var message: String {
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
