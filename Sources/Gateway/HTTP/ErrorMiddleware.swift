internal import DocumentStore
internal import Hummingbird
internal import Logging

/// The one place where errors of the gateway's own endpoints become answers.
///
/// What nobody foresaw is answered 500 with the request's id, and logged once, with its cause, under the same id.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = GatewayRequestContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return try apiError(for: error, request, context).response(from: request, context: context)
        }
    }

    private func apiError(for error: any Error, _ request: Request, _ context: Context) -> APIError {
        switch error {
        case let error as APIError: return error
        case let error as StoreError where error.code != .internal: return APIError(error)
        case let error as any HTTPResponseError where error.status == .notFound:
            return .notFound("there is nothing here; docs/README.md leads to what there is")
        case let error as any HTTPResponseError:
            return APIError(status: error.status, name: "UNKNOWN", message: error.status.reasonPhrase)
        case is CancellationError: return .cancelled
        default:
            context.logger.error(
                "unexpected error", metadata: ["error": "\(error)", "endpoint": "\(context.endpointPath ?? "")"])
            return APIError(
                status: .internalServerError, name: "INTERNAL",
                message: "something unforeseen; the log has more under request \(context.id)")
        }
    }
}
