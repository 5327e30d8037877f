internal import HTTPTypes
internal import Hummingbird

/// Keeps pages of other sites from endpoints that ask for no credentials.
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

    /// Returns the reason to refuse a request, `nil` if there is none; for endpoints with errors of their own form.
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
