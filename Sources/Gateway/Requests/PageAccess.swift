import Functions
import HTTPTypes
import Hummingbird
import RequestRules
import Server

/// A middleware that lets web pages of other origins make the calls that register browsers, and no others
/// ([Fetch](https://fetch.spec.whatwg.org/#http-cors-protocol)).
///
/// The operator names the origins. Without any, a gateway has no such middleware: no answer has headers for pages, and
/// a preflight request gets what its path has for `OPTIONS`.
struct PageAccess: RouterMiddleware {
    typealias Context = GatewayRequestContext

    /// The fields with credentials and preferences of all calls.
    private static let allowedFields =
        "Authorization, Content-Type, Prefer, Relay-Key, Relay-Signature, Relay-Time, X-API-Key, X-Device-ID"
    /// The time for which a browser keeps the answer to a preflight request, in seconds.
    private static let maximumAge = "3600"

    let allowed: [AllowedOrigin]
    let calls: PageCalls

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let methods = calls.methods(at: RequestPath(request.pathText))
        guard !methods.isEmpty else { return try await next(request, context) }
        var response = try await answer(request, context, methods, next)
        // Another origin gets another answer.
        response.headers[.vary] = "Origin"
        return response
    }

    private func answer(
        _ request: Request, _ context: Context, _ methods: [HTTPRequest.Method],
        _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let origin = allowedOrigin(of: request) else { return try await next(request, context) }
        if let asked = request.preflightMethod, methods.contains(asked) {
            return preflight(request, origin, methods)
        }
        guard methods.contains(request.method == .head ? .get : request.method) else {
            return try await next(request, context)
        }
        var context = context
        context.isFromAllowedPage = true
        var response = try await next(request, context)
        response.headers[.accessControlAllowOrigin] = origin
        return response
    }

    /// Returns the origin of a request by a page of the list; `nil` for other requests.
    private func allowedOrigin(of request: Request) -> String? {
        guard let text = request.headers[.origin], let origin = WebOrigin(text),
            allowed.contains(where: { $0.covers(origin) })
        else { return nil }
        return text
    }

    private func preflight(_ request: Request, _ origin: String, _ methods: [HTTPRequest.Method]) -> Response {
        var headers: HTTPFields = [
            .accessControlAllowOrigin: origin, .accessControlAllowHeaders: Self.allowedFields,
            .accessControlAllowMethods: methods.map(\.rawValue).joined(separator: ", "),
            .accessControlMaxAge: Self.maximumAge,
        ]
        headers.allowLocalNetwork(request.headers)
        return Response(status: .noContent, headers: headers)
    }
}

extension Request {
    /// The method that a page asks for in a preflight request; `nil` for other requests.
    fileprivate var preflightMethod: HTTPRequest.Method? {
        guard method == .options else { return nil }
        return headers[.accessControlRequestMethod].flatMap { HTTPRequest.Method($0) }
    }
}
