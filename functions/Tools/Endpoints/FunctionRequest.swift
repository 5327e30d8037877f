public import HTTPTypes

/// A call of an HTTPS function, as the server hands it over.
public struct FunctionRequest: Sendable {
    public let method: HTTPRequest.Method
    public let headerFields: HTTPFields
    /// What the names in braces of an endpoint's path stand for.
    public let parameters: [String: String]
    /// The query's values by name, decoded; of a name that is there twice the first.
    public let query: [String: String]
    /// The caller's address, with trusted proxies already looked through; what rate limits count by.
    public let clientAddress: String
    /// ``clientAddress`` and the wider networks that the client is in, from the narrowest on.
    public var clientNetworks: [String] { [clientAddress] + findWiderNetworks() }
    /// Reads the body, up to the given number of bytes.
    public let readBody: BodyReader
    /// Reads the body as it comes, up to the given number of bytes, and hands each piece on until that returns `false`.
    public let readPieces: PieceReader

    public typealias BodyReader = @Sendable (_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8]
    public typealias PieceReader =
        @Sendable (_ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool) async throws(RequestBodyError)
        -> Void

    private let findWiderNetworks: @Sendable () -> [String]
    private let findIsFromLoopback: @Sendable () -> Bool
    private let findOrigin: @Sendable () -> String?
    private let findOriginRefusal: @Sendable () -> String?

    /// - Parameters:
    ///   - widerNetworks: the networks around the client's address, from the narrowest on. This and the next three are
    ///     evaluated when they are asked for.
    ///   - readPieces: reads the whole body as one piece by default.
    public init(
        method: HTTPRequest.Method, headerFields: HTTPFields, parameters: [String: String] = [:],
        query: [String: String] = [:], clientAddress: String,
        widerNetworks: @autoclosure @escaping @Sendable () -> [String] = [],
        isFromLoopback: @autoclosure @escaping @Sendable () -> Bool = false,
        origin: @autoclosure @escaping @Sendable () -> String? = nil,
        originRefusal: @autoclosure @escaping @Sendable () -> String? = nil,
        readPieces: PieceReader? = nil, readBody: @escaping BodyReader
    ) {
        self.method = method
        self.headerFields = headerFields
        self.parameters = parameters
        self.query = query
        self.clientAddress = clientAddress
        findWiderNetworks = widerNetworks
        findIsFromLoopback = isFromLoopback
        findOrigin = origin
        findOriginRefusal = originRefusal
        self.readBody = readBody
        self.readPieces = readPieces ?? Self.onePiece(readBody)
    }

    private static func onePiece(_ readBody: @escaping BodyReader) -> PieceReader {
        { limit, take async throws(RequestBodyError) in
            let body = try await readBody(limit)
            _ = take(body)
        }
    }
}

extension FunctionRequest {
    /// A Boolean value indicating whether it was made on the gateway's machine; for what is allowed from loopback
    /// alone.
    public var isFromLoopback: Bool { findIsFromLoopback() }

    /// The address it was sent to, as the client has it: `https://tasks.example.com`. `nil` if the client does not say, or
    /// not so that a link could begin with it.
    public var origin: String? { findOrigin() }

    /// The reason, in words for the client, to refuse it where no credentials are asked for: a page of another site made it,
    /// or it came by a name that is not the gateway's. `nil` if there is none.
    public var originRefusal: String? { findOriginRefusal() }
}
