public import HTTPTypes

/// A call of an HTTPS function, as the server hands it over.
public struct FunctionRequest: Sendable {
    public let method: HTTPRequest.Method
    public let headerFields: HTTPFields
    /// What the names in braces of an endpoint's path stand for.
    public let parameters: [String: String]
    /// The caller's address, with trusted proxies already looked through; what rate limits count by.
    public let clientAddress: String
    private let received: any ReceivedRequest

    public init(
        method: HTTPRequest.Method, headerFields: HTTPFields, parameters: [String: String] = [:],
        clientAddress: String, received: any ReceivedRequest
    ) {
        self.method = method
        self.headerFields = headerFields
        self.parameters = parameters
        self.clientAddress = clientAddress
        self.received = received
    }
}

extension FunctionRequest {
    /// The query's values by name, decoded; of a name that is there twice the first.
    public var query: [String: String] { received.query }

    /// ``clientAddress`` and the wider networks that the client is in, from the narrowest on.
    public var clientNetworks: [String] { [clientAddress] + received.widerNetworks }

    /// A Boolean value indicating whether it was made on the gateway's machine; for what is allowed from loopback
    /// alone.
    public var isFromLoopback: Bool { received.isFromLoopback }

    /// The address it was sent to, as the client has it: `https://tasks.example.com`. `nil` if the client does not say, or
    /// not so that a link could begin with it.
    public var origin: String? { received.origin }

    /// The reason, in words for the client, to refuse it where no credentials are asked for: a page of another site made it,
    /// or it came by a name that is not the gateway's. `nil` if there is none.
    public var originRefusal: String? { received.originRefusal }

    /// Reads the body, up to the given number of bytes.
    public func readBody(_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8] {
        try await received.readBody(maximumBytes)
    }

    /// Reads the body as it comes, up to the given number of bytes, and hands each piece on until that returns `false`.
    public func readPieces(
        _ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError) {
        try await received.readPieces(maximumBytes, take)
    }
}
