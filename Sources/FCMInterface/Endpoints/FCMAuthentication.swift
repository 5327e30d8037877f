import HTTPTypes
import Hummingbird
import RequestRules
import Server

/// A middleware that requires an access token for the gateway's project. In emulator mode, it accepts every request.
struct FCMAuthentication: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let tokens: AccessTokens
    let project: String
    let isEmulator: Bool

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.account = try grant(of: request, context)?.account
        return try await next(request, context)
    }

    /// Checks the access token of a request. Returns its grant; `nil` in emulator mode, which needs none.
    func grant(of request: Request, _ context: Context) throws(APIError) -> AccessTokens.Grant? {
        try isEmulator ? nil : check(request.bearerToken, for: context.parameters.get("project"))
    }

    /// Checks an access token.
    ///
    /// - Parameter requested: The project in the request's path, if there is one.
    private func check(_ token: String?, for requested: String?) throws(APIError) -> AccessTokens.Grant {
        guard let token else { throw .noAccessToken }
        guard let grant = tokens.grant(of: token) else { throw .refused(tokens.fault(of: token)) }
        guard grant.scopes.contains(.messaging) else { throw .notForMessages }
        let granted = grant.project
        guard granted == project, requested ?? project == project else {
            let request = requested.map { "the request is for project “\($0)”, " } ?? ""
            throw APIError(
                status: .forbidden, name: "PERMISSION_DENIED",
                message: "\(request)the access token for “\(granted)”, and this gateway's project is “\(project)” "
                    + "(fcm.projectId); initialise the client with that project, or leave the project out")
        }
        return grant
    }
}

extension APIError {
    fileprivate static let noAccessToken = unauthenticated(
        "send an access token as “Authorization: Bearer …”. A client gets one with a service account of this "
            + "gateway, which “pushgate init” creates; Google's access tokens are not valid here")

    fileprivate static let notForMessages = APIError(
        status: .forbidden, name: "PERMISSION_DENIED",
        message: "the service account of this access token was not made for messages; make one for them with "
            + "“pushgate init”")

    fileprivate static func refused(_ fault: AccessTokens.Fault) -> APIError {
        switch fault {
        case .expired: unauthenticated("the access token has expired; get another one from /token")
        case .ofAnotherGateway:
            unauthenticated(
                "the access token belongs to another gateway, or to an earlier data directory of this one. Get one "
                    + "with a service account of this gateway, which “pushgate init” creates")
        case .notAToken: noAccessToken
        }
    }

    private static func unauthenticated(_ message: String) -> APIError {
        APIError(
            status: .unauthorized, name: "UNAUTHENTICATED", message: message, headers: [.wwwAuthenticate: "Bearer"])
    }
}
