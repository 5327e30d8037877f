internal import DocumentStore
internal import HTTPTypes
internal import Hummingbird
internal import JSON

/// An error of the gateway's own endpoints, in the shape of Google's APIs:
/// `{"error":{"code":404,"message":"…","status":"NOT_FOUND"}}`.
struct APIError: HTTPResponseError {
    let status: HTTPResponse.Status
    /// The canonical name, `NOT_FOUND`.
    let name: String
    /// What was wrong, and what to do.
    let message: String
    var headers: HTTPFields = [:]
    /// Objects with an `@type` each, for programs.
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

    /// The client has taken its request back, or the gateway stops.
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

    /// What the store says, on the wire.
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
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        Response(status: status, headers: headers, json: json)
    }

    /// The body.
    var json: JSONValue {
        var error: JSONObject = [
            "code": .integer(Int64(status.code)), "message": .string(message), "status": .string(name),
        ]
        if !details.isEmpty { error["details"] = .array(details) }
        return ["error": .object(error)]
    }
}
