import Functions
import HTTPTypes
import Hummingbird
import IPAddresses
import NIOCore
import RequestRules
import Server

/// A middleware that routes requests to the modules: to endpoints by method and path, and to functions by name with
/// any method, because each function answers wrong methods itself, mostly with 405. Functions are at these paths:
///
/// - `/<name>`: a function's own host, as in production
/// - `/<prefix>/<name>`: behind a proxy that keeps its path
/// - `/<project>/<region>/<name>`: the same as in the Firebase emulator
struct FunctionEndpoints: RouterMiddleware {
    typealias Context = GatewayRequestContext

    private let functions: [Substring: HTTPSFunction]
    private let endpoints: ModuleRouter
    private let originGuard: OriginGuard
    private let refusals: RefusalLog

    init(_ modules: [any FunctionModule], originGuard: OriginGuard, refusals: RefusalLog) {
        functions = Dictionary(modules.flatMap(\.functions).map { ($0.name[...], $0) }) { first, _ in first }
        endpoints = ModuleRouter(modules)
        self.originGuard = originGuard
        self.refusals = refusals
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let path = request.pathText
        if let function = function(at: path) {
            return response(await function.handle(functionRequest(request, context)), function.name, request, context)
        }
        if let match = endpoints.match(request.method, RequestPath(path)) {
            let answer = await match.handle(functionRequest(request, context, match.parameters))
            return response(answer, match.endpoint, request, context)
        }
        return try await next(request, context)
    }

    private func response(
        _ answer: FunctionResponse, _ endpoint: String, _ request: Request, _ context: Context
    ) -> Response {
        refusals.report(answer.status, answer.reason, at: endpoint, request, context)
        return Response(answer)
    }

    private func function(at path: Substring) -> HTTPSFunction? {
        RequestPath.lastSegment(of: path, amongAtMost: HTTPSFunction.longestPath).flatMap { functions[$0] }
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
        case .bytes(let bytes, let type): self.init(response, bytes, type: type)
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

/// An HTTP request to a function.
struct HTTPFunctionCall: ReceivedRequest {
    let request: Request
    let context: GatewayRequestContext
    let originGuard: OriginGuard

    var client: IPAddress? { originGuard.clientAddress.client(of: request, context) }

    var query: [String: String] {
        Dictionary(request.uri.queryParameters.map { (String($0.key), String($0.value)) }) { first, _ in first }
    }

    var widerNetworks: [String] { client?.widerNetworks ?? [] }

    var isFromLoopback: Bool {
        originGuard.clientAddress.isFromLoopback(peer: context.peer, headerFields: request.headers)
    }

    /// The gateway's origin as the client knows it. The client can put any text into `Host` or `:authority`, so only
    /// a valid host and port become part of a link.
    var origin: String? {
        guard let authority = request.head.authority.flatMap({ Authority($0) }) else { return nil }
        return "\(request.head.scheme == "https" ? "https" : "http")://\(authority)"
    }

    var originRefusal: String? { originGuard.refusal(of: request, context)?.message }

    func readBody(_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8] {
        do throws(BodyError) {
            return try await request.wholeBody(maximumBytes: maximumBytes)
        } catch {
            throw RequestBodyError(error)
        }
    }

    func readPieces(
        _ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError) {
        do throws(BodyError) {
            try await request.readBody(maximumBytes: maximumBytes, take)
        } catch {
            throw RequestBodyError(error)
        }
    }
}
