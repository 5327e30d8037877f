public import Foundation

/// A sender of requests to gateways. ``URLSessionSender`` is the standard implementation.
public protocol HTTPSending: Sendable {
    /// Sends a request once, without following redirects, because the secret is for this gateway only.
    ///
    /// - Returns: The answer, with any status.
    /// - Throws: An error if there was no answer. Of errors other than `URLError` the client reports only the type.
    func send(_ request: GatewayRequest) async throws -> GatewayResponse
}

/// A `POST` request to a gateway. Its description contains neither the secret nor the body.
public struct GatewayRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The URL of a function of the gateway.
    public let url: URL
    /// `Authorization` with the secret, and `Content-Type`.
    public let headerFields: [String: String]
    /// A JSON object, which may contain the device's token.
    public let body: Data

    /// Takes a whole request. The client makes its own; tests of an ``HTTPSending`` may make others.
    public init(url: URL, headerFields: [String: String], body: Data) {
        self.url = url
        self.headerFields = headerFields
        self.body = body
    }

    /// The method and the URL.
    public var description: String { "POST \(url.absoluteString)" }
    /// A mirror with the URL only.
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

/// The answer of a gateway.
public struct GatewayResponse: Hashable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The value of `Retry-After`; `nil` if there is none.
    public let retryAfter: String?
    /// The body.
    public let body: Data

    /// Takes an answer with any status. A request without an answer is an error of ``HTTPSending/send(_:)`` instead.
    public init(status: Int, retryAfter: String? = nil, body: Data = Data()) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}
