internal import HTTPTypes
internal import Hummingbird

/// Lets through whoever brings an access token for the gateway's project; everyone, while nothing leaves the gateway.
struct FCMAuthentication: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let tokens: AccessTokens
    let project: String
    let isEmulator: Bool

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if !isEmulator {
            guard let token = request.bearerToken, let project = tokens.project(of: token) else {
                throw APIError.noAccessToken
            }
            guard project == self.project, context.parameters.get("project").map({ $0 == project }) ?? true else {
                throw APIError(
                    status: .forbidden, name: "PERMISSION_DENIED",
                    message: "the access token is for project \(project), and this gateway's is \(self.project)")
            }
        }
        return try await next(request, context)
    }
}

extension APIError {
    fileprivate static let noAccessToken = APIError(
        status: .unauthorized, name: "UNAUTHENTICATED",
        message: "send an access token as “Authorization: Bearer …”. A client gets one with a service account of this "
            + "gateway, which “pushgate init” makes; those of Google are not good here",
        headers: [.wwwAuthenticate: "Bearer"])
}
