internal import Functions
internal import HTTPTypes
internal import Hummingbird
internal import JSON

/// Finds the functions of the modules where their clients look for them, whatever the method: a function answers each
/// itself, most of them with 405.
///
/// - `/<name>`: a function's own host, as in production
/// - `/<prefix>/<name>`: behind a proxy that keeps its path
/// - `/<project>/<region>/<name>`: as the Firebase emulator has it
struct FunctionEndpoints: RouterMiddleware {
    typealias Context = GatewayRequestContext

    private static let longestPath = 3

    private let functions: [String: HTTPSFunction]
    private let clientAddress: ClientAddress

    init(functions: [HTTPSFunction], clientAddress: ClientAddress) {
        self.functions = Dictionary(functions.map { ($0.name, $0) }) { first, _ in first }
        self.clientAddress = clientAddress
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let function = function(at: request.uri.path) else { return try await next(request, context) }
        return await respond(function, request, context)
    }

    private func function(at path: String) -> HTTPSFunction? {
        let segments = path.split(separator: "/")
        guard segments.count <= Self.longestPath, let name = segments.last else { return nil }
        return functions[String(name)]
    }

    private func respond(_ function: HTTPSFunction, _ request: Request, _ context: Context) async -> Response {
        let client = clientAddress.client(peer: context.peer, forwardedFor: request.forwardedFor)
        let response = await function.handle(
            FunctionRequest(
                method: request.method, headerFields: request.headers, clientAddress: client?.limitKey ?? "unknown",
                readBody: { limit async throws(RequestBodyError) in try await request.wholeBody(maximumBytes: limit) }))
        return Response(status: response.status, headers: response.headerFields, json: response.body)
    }
}

extension Request {
    fileprivate var forwardedFor: [String] {
        headers.filter { $0.name.canonicalName == "x-forwarded-for" }.map(\.value)
    }
}
