package import HTTPTypes
package import JSON

/// A call of an HTTPS function, as the server passes it to the function.
package struct FunctionRequest: Sendable {
    /// The HTTP method.
    package let method: HTTPRequest.Method
    /// The header fields.
    package let headerFields: HTTPFields
    /// The values of the path's parameters, by name.
    package let parameters: [String: String]
    /// The caller's address behind any trusted proxies. Rate limits count by it.
    package let clientAddress: String
    private let received: any ReceivedRequest

    /// - Parameters:
    ///   - parameters: The values of the path's parameters, by name.
    ///   - clientAddress: The client's address behind any trusted proxies.
    ///   - received: The server's side of the request, which reads the body.
    package init(
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
    /// The decoded query parameters by name. If a name is repeated, the first value counts.
    package var query: [String: String] { received.query }

    /// ``clientAddress`` and the wider networks of the client, narrowest first.
    package var clientNetworks: [String] { [clientAddress] + received.widerNetworks }

    /// `true` if the request comes from the gateway's own machine. Some operations are allowed from loopback only.
    package var isFromLoopback: Bool { received.isFromLoopback }

    /// The origin that the client sent the request to, such as `https://tasks.example.com`. `nil` if the client does
    /// not send one, or not one that a link could begin with.
    package var origin: String? { received.origin }

    /// The reason to refuse the request where no credentials are required, in words for the client: a page of another
    /// site sent it, or it uses a host name that is not the gateway's. `nil` if there is none.
    package var originRefusal: String? { received.originRefusal }

    /// Reads the body, up to the given number of bytes.
    package func readBody(_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8] {
        try await received.readBody(maximumBytes)
    }

    /// Reads the body in pieces, up to the given number of bytes, and passes on each piece until `take` returns
    /// `false`.
    package func readPieces(
        _ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError) {
        try await received.readPieces(maximumBytes, take)
    }
}

/// A request on the server's side: its body, and properties that are only computed if a function uses them.
package protocol ReceivedRequest: Sendable {
    /// See ``FunctionRequest/query``.
    var query: [String: String] { get }
    /// The networks that contain the client's address, narrowest first.
    var widerNetworks: [String] { get }
    /// See ``FunctionRequest/isFromLoopback``.
    var isFromLoopback: Bool { get }
    /// See ``FunctionRequest/origin``.
    var origin: String? { get }
    /// See ``FunctionRequest/originRefusal``.
    var originRefusal: String? { get }

    /// See ``FunctionRequest/readBody(_:)``.
    func readBody(_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8]
    /// See ``FunctionRequest/readPieces(_:_:)``.
    func readPieces(
        _ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError)
}

/// The reason why a body could not be read.
package enum RequestBodyError: Error, Hashable, Sendable {
    /// The body exceeds the limit by its `Content-Length`, as received, or after decoding.
    case tooLarge
    /// The client disconnected, stopped sending or broke the framing before the end.
    case incomplete
    /// The `Content-Encoding` is not gzip.
    case unsupportedEncoding
    /// The body is not valid gzip, although its `Content-Encoding` is gzip.
    case malformedEncoding
}

extension RequestBodyError {
    /// The text for a `Content-Encoding` that is not supported.
    package static let unsupportedEncodingText =
        "unsupported Content-Encoding: send the body as gzip or without encoding"
    /// The text for a body that is not valid gzip.
    package static let malformedEncodingText = "the body is not valid gzip, although its Content-Encoding is gzip"
    /// The value of `Accept-Encoding` in a response to an unsupported encoding (RFC 9110 §15.5.16).
    package static let acceptedEncodings = "gzip"
}

/// The reason why a body is not a JSON object.
package enum JSONBodyError: Error, Hashable, Sendable {
    /// The body could not be read.
    case unreadable(RequestBodyError)
    /// The body is not JSON.
    case malformed
    /// The body is JSON, but not an object.
    case notAnObject
}

extension FunctionRequest {
    /// Reads the body as a JSON object.
    ///
    /// - Parameter limit: The maximum size of the body, in bytes.
    package func jsonObject(limit: Int) async throws(JSONBodyError) -> JSONObject {
        let body: [UInt8]
        do {
            body = try await readBody(limit)
        } catch {
            throw .unreadable(error)
        }
        return try Self.jsonObject(in: body)
    }

    /// Reads a body as a JSON object.
    static func jsonObject(in body: [UInt8]) throws(JSONBodyError) -> JSONObject {
        guard let json = try? JSONValue(parsing: body) else { throw .malformed }
        guard case .object(let object) = json else { throw .notAnObject }
        return object
    }
}
