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
        guard let bearer = request.bearerToken else { throw APIError.unauthenticated }
        guard ConstantTime.equal(Array(bearer.utf8), Array(token.value.utf8)) else { throw APIError.wrongAdminToken }
        return try await next(request, context)
    }
}

extension Request {
    /// What follows `Bearer` in the authorization header (RFC 6750 §2.1).
    var bearerToken: String? {
        let scheme = "bearer "
        guard let header = headers[.authorization], header.prefix(scheme.count).lowercased() == scheme else {
            return nil
        }
        return String(header.dropFirst(scheme.count))
    }
}
