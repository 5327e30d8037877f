import Functions
import HTTPTypes

/// A request with values given by a test.
struct GivenRequest: ReceivedRequest {
    typealias BodyReader = @Sendable (_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8]
    typealias PieceReader =
        @Sendable (_ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool) async throws(RequestBodyError)
        -> Void

    var query: [String: String] = [:]
    var widerNetworks: [String] = []
    var isFromLoopback = false
    var origin: String?
    var originRefusal: String?
    /// The reader of pieces; `nil` to read the whole body as one piece.
    var pieceReader: PieceReader?
    let bodyReader: BodyReader

    func readBody(_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8] { try await bodyReader(maximumBytes) }

    func readPieces(
        _ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError) {
        if let pieceReader { return try await pieceReader(maximumBytes, take) }
        let body = try await readBody(maximumBytes)
        _ = take(body)
    }
}

extension FunctionRequest {
    init(
        method: HTTPRequest.Method, headerFields: HTTPFields, parameters: [String: String] = [:],
        query: [String: String] = [:], clientAddress: String, isFromLoopback: Bool = false,
        origin: String? = nil, originRefusal: String? = nil, readPieces: GivenRequest.PieceReader? = nil,
        readBody: @escaping GivenRequest.BodyReader
    ) {
        self.init(
            method: method, headerFields: headerFields, parameters: parameters, clientAddress: clientAddress,
            received: GivenRequest(
                query: query, isFromLoopback: isFromLoopback, origin: origin, originRefusal: originRefusal,
                pieceReader: readPieces, bodyReader: readBody))
    }
}
