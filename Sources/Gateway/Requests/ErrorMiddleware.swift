import Console
import DocumentStore
import Functions
import HTTPTypes
import Hummingbird
import Logging
import RequestRules
import Server

/// The middleware that turns all errors of the gateway's own endpoints into responses.
///
/// An unexpected error becomes a 500 with the request's id, and is logged once, with its cause, under the same id.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let refusals: RefusalLog
    let switchedOff: SwitchedOffModules

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let isUnknown = (error as? any HTTPResponseError)?.status == .notFound && !(error is APIError)
            let error = apiError(for: error, request, context)
            refusals.report(error.status, error.message, at: context.endpointPath ?? "unknown", request, context)
            if isUnknown, request.isPageVisit { return Console.unknownAddress }
            return try error.response(from: request, context: context)
        }
    }

    private func apiError(for error: any Error, _ request: Request, _ context: Context) -> APIError {
        switch error {
        case let error as APIError: return error
        case let error as StoreError where error.code != .internal: return APIError(error)
        case let error as any HTTPResponseError where error.status == .notFound:
            let advice = switchedOff.advice(at: RequestPath(request.uri.path))
            return .notFound(
                advice.map { "there is nothing here: \($0)" }
                    ?? "there is nothing here; docs/README.md lists the documentation")
        case let error as any HTTPResponseError:
            return APIError(status: error.status, name: "UNKNOWN", message: error.status.reasonPhrase)
        case is CancellationError: return .cancelled
        default:
            context.logger.error(
                "failed with an unexpected error",
                metadata: ["error": "\(error)", "endpoint": "\(context.endpointPath ?? "")"])
            return APIError(
                status: .internalServerError, name: "INTERNAL",
                message: "an unexpected error; the log has the cause under request \(RequestID.current ?? "unknown")")
        }
    }
}

extension Request {
    /// `true` for the request of a browser that opens a page. Programs do not ask for HTML, so they get JSON.
    fileprivate var isPageVisit: Bool {
        method == .get && (headers[.accept] ?? "").lowercased().contains("text/html")
    }
}
