internal import Functions
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Finds what the modules serve where their clients look for it: endpoints by method and path; functions whatever the
/// method, as a function answers each itself, most of them with 405. They are at
///
/// - `/<name>`: a function's own host, as in production
/// - `/<prefix>/<name>`: behind a proxy that keeps its path
/// - `/<project>/<region>/<name>`: as the Firebase emulator has it
struct FunctionEndpoints: RouterMiddleware {
    typealias Context = GatewayRequestContext

    private static let longestPath = 3

    private let functions: [Substring: HTTPSFunction]
    private let endpoints: EndpointTable
    private let originGuard: OriginGuard

    init(_ modules: [any FunctionModule], originGuard: OriginGuard) {
        functions = Dictionary(modules.flatMap(\.functions).map { ($0.name[...], $0) }) { first, _ in first }
        endpoints = EndpointTable(modules)
        self.originGuard = originGuard
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let path = RequestPath(request.uri.path)
        if let function = function(at: path) {
            return Response(await function.handle(functionRequest(request, context)))
        }
        if let answerer = endpoints.answerer(of: request.method, path) {
            return Response(await answerer.handle(functionRequest(request, context, answerer.parameters)))
        }
        return try await next(request, context)
    }

    private func function(at path: RequestPath) -> HTTPSFunction? {
        guard path.segments.count <= Self.longestPath, let name = path.segments.last else { return nil }
        return functions[name]
    }

    private func functionRequest(
        _ request: Request, _ context: Context, _ parameters: [String: String] = [:]
    ) -> FunctionRequest {
        let received = HTTPFunctionCall(request: request, context: context, originGuard: originGuard)
        return FunctionRequest(
            method: request.method, headerFields: request.headers, parameters: parameters,
            clientAddress: received.client?.limitKey ?? "unknown", received: received)
    }
}

extension Response {
    fileprivate init(_ response: FunctionResponse) {
        switch response.content {
        case .none: self.init(status: response.status, headers: response.headerFields)
        case .json(let json): self.init(status: response.status, headers: response.headerFields, json: json)
        case .text(let text): self.init(response, Array(text.utf8), type: "text/plain; charset=utf-8")
        case .html(let text): self.init(response, Array(text.utf8), type: "text/html; charset=utf-8")
        case .file(let contents, let type): self.init(response, contents, type: type)
        }
    }

    private init(_ response: FunctionResponse, _ bytes: [UInt8], type: String) {
        self.init(response, ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)), size: bytes.count, type: type)
    }

    private init(_ response: FunctionResponse, _ contents: StoredContents, type: String) {
        let body = ResponseBody(contentLength: contents.size) { writer in
            var sent = 0
            while sent < contents.size {
                let piece = try await contents.piece(from: sent)
                try await writer.write(ByteBuffer(bytes: piece))
                sent += piece.count
            }
            try await writer.finish(nil)
        }
        self.init(response, body, size: contents.size, type: type)
    }

    private init(_ response: FunctionResponse, _ body: ResponseBody, size: Int, type: String) {
        var headers = response.headerFields
        headers[.contentType] = type
        headers[.contentLength] = String(size)
        self.init(status: response.status, headers: headers, body: body)
    }
}
