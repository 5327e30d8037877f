import Functions
import HTTPTypes
import Hummingbird
import RequestRules
import Server

/// A middleware that lets requests that read through with the admin token, or with a key of a system that opens the
/// deliveries. All others need the admin token.
struct ReaderAuthentication: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let admin: AdminAuthentication
    let readers: [any DeliveryReaders]

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if try await !isReader(request) { try admin.check(request) }
        return try await next(request, context)
    }

    private func isReader(_ request: Request) async throws -> Bool {
        guard request.method == .get || request.method == .head, let bearer = request.bearerToken else { return false }
        for reader in readers {
            if try await reader.mayRead(bearer) { return true }
        }
        return false
    }
}
