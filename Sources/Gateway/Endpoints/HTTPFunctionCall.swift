internal import Functions
internal import HTTPTypes
internal import Hummingbird

/// A call of a function as it came over HTTP.
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

    /// `Host`, or HTTP/2's `:authority`, is whatever the client wrote: nothing but a host and a port goes into a link.
    var origin: String? {
        guard let authority = request.head.authority.flatMap({ Authority($0) }) else { return nil }
        return "\(request.head.scheme == "https" ? "https" : "http")://\(authority)"
    }

    var originRefusal: String? { originGuard.refusal(of: request, context)?.message }

    func readBody(_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8] {
        try await request.wholeBody(maximumBytes: maximumBytes)
    }

    func readPieces(
        _ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError) {
        try await request.readBody(maximumBytes: maximumBytes, take)
    }
}
