import Cryptography
import HTTPTypes
import Hummingbird
import RequestRules
import Secrets
import Server

/// A middleware that refuses requests without the admin token.
struct AdminAuthentication: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let token: RedactedString

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        try check(request)
        return try await next(request, context)
    }

    /// Throws an error if a request does not carry the admin token.
    func check(_ request: Request) throws(APIError) {
        guard let bearer = request.bearerToken else { throw .unauthenticated }
        guard ConstantTime.equal(Array(bearer.utf8), Array(token.value.utf8)) else { throw .wrongAdminToken }
    }
}

extension APIError {
    fileprivate static let unauthenticated = APIError(
        status: .unauthorized, name: "UNAUTHENTICATED",
        message: "send the admin token as “Authorization: Bearer …”; it is in the data directory's file admin-token",
        headers: [.wwwAuthenticate: "Bearer"])

    fileprivate static let wrongAdminToken = APIError(
        status: .unauthorized, name: "UNAUTHENTICATED",
        message: "this is not this gateway's admin token, which is in its data directory's file admin-token, or in its "
            + "setting admin.token",
        headers: [.wwwAuthenticate: "Bearer"])
}
