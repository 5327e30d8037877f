import DocumentStore
import HTTPTypes
import Hummingbird
import JSON
import Logging

/// An error of the gateway's own endpoints, in the shape of Google's APIs:
/// `{"error":{"code":404,"message":"…","status":"NOT_FOUND"}}`.
struct APIError: HTTPResponseError {
    let status: HTTPResponse.Status
    /// The canonical name of the status, for example `NOT_FOUND`.
    let name: String
    /// The mistake, and how to correct it.
    let message: String
    var headers: HTTPFields = [:]
    /// Details for programs, each an object with an `@type`.
    var details: [JSONValue] = []

    static func invalidArgument(_ message: String) -> APIError {
        APIError(status: .badRequest, name: "INVALID_ARGUMENT", message: message)
    }

    static func notFound(_ message: String) -> APIError {
        APIError(status: .notFound, name: "NOT_FOUND", message: message)
    }

    static func methodNotAllowed(allow: String) -> APIError {
        APIError(
            status: .methodNotAllowed, name: "UNIMPLEMENTED", message: "use \(allow) here", headers: [.allow: allow])
    }

    /// The error of a request that its client cancelled, or that the gateway cancelled at its shutdown.
    static let cancelled = APIError(
        status: .serviceUnavailable, name: "CANCELLED", message: "the request was cancelled; try again")

    static let unauthenticated = APIError(
        status: .unauthorized, name: "UNAUTHENTICATED",
        message: "send the admin token as “Authorization: Bearer …”; it is in the data directory's file admin-token",
        headers: [.wwwAuthenticate: "Bearer"])

    static let wrongAdminToken = APIError(
        status: .unauthorized, name: "UNAUTHENTICATED",
        message: "this is not this gateway's admin token, which is in its data directory's file admin-token, or in its "
            + "setting admin.token",
        headers: [.wwwAuthenticate: "Bearer"])

    init(status: HTTPResponse.Status, name: String, message: String, headers: HTTPFields = [:]) {
        self.status = status
        self.name = name
        self.message = message
        self.headers = headers
    }

    /// Translates an error of the store.
    init(_ error: StoreError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .invalidArgument, .failedPrecondition: .badRequest
            case .notFound: .notFound
            case .alreadyExists, .aborted: .conflict
            case .resourceExhausted, .unavailable: .serviceUnavailable
            default: .internalServerError
            }
        self.init(status: status, name: error.code.rawValue, message: error.message)
        if status == .serviceUnavailable { headers[.retryAfter] = "5" }
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        Response(status: status, headers: headers, json: json)
    }

    /// The body of the response.
    var json: JSONValue {
        var error: JSONObject = [
            "code": .integer(Int64(status.code)), "message": .string(message), "status": .string(name),
        ]
        if !details.isEmpty { error["details"] = .array(details) }
        return ["error": .object(error)]
    }
}

/// The middleware that turns all errors of the gateway's own endpoints into responses.
///
/// An unexpected error becomes a 500 with the request's id, and is logged once, with its cause, under the same id.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = GatewayRequestContext

    let refusals: RefusalLog

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let error = apiError(for: error, request, context)
            refusals.report(error.status, error.message, at: context.endpointPath ?? "unknown", request, context)
            return try error.response(from: request, context: context)
        }
    }

    private func apiError(for error: any Error, _ request: Request, _ context: Context) -> APIError {
        switch error {
        case let error as APIError: return error
        case let error as StoreError where error.code != .internal: return APIError(error)
        case let error as any HTTPResponseError where error.status == .notFound:
            return .notFound("there is nothing here; docs/README.md lists the documentation")
        case let error as any HTTPResponseError:
            return APIError(status: error.status, name: "UNKNOWN", message: error.status.reasonPhrase)
        case is CancellationError: return .cancelled
        default:
            context.logger.error(
                "unexpected error", metadata: ["error": "\(error)", "endpoint": "\(context.endpointPath ?? "")"])
            return APIError(
                status: .internalServerError, name: "INTERNAL",
                message: "an unexpected error; the log has the cause under request \(RequestID.current ?? "unknown")")
        }
    }
}
