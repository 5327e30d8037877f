internal import Cryptography
internal import HTTPTypes
internal import Hummingbird

/// Lets through only who brings the admin token.
struct AdminAuthentication: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let token: RedactedString

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let scheme = "bearer "
        guard let header = request.headers[.authorization], header.lowercased().hasPrefix(scheme),
            ConstantTime.equal(Array(header.dropFirst(scheme.count).utf8), Array(token.value.utf8))
        else { throw APIError.unauthenticated }
        return try await next(request, context)
    }
}
