public import Foundation

/// A sender of requests to gateways. ``URLSessionSender`` is the standard implementation.
public protocol HTTPSending: Sendable {
    /// Sends a request once, without following redirects, because the secret is for this gateway only.
    ///
    /// - Returns: The answer, with any status.
    /// - Throws: An error if there was no answer. Of errors other than `URLError` the client reports only the type.
    func send(_ request: GatewayRequest) async throws -> GatewayResponse
}

/// A request to a gateway or to a relay. Its description contains neither the secret nor the body.
public struct GatewayRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The HTTP method: `POST` to a function of a gateway, others to a relay and for a paired device.
    public let method: String
    /// The URL of a function of the gateway, or of a relay.
    public let url: URL
    /// `Content-Type`, and the secret in `Authorization` or a signature.
    public let headerFields: [String: String]
    /// A JSON object, which may contain the device's token; empty with `GET` and `DELETE`.
    public let body: Data

    /// Takes a whole request. The client makes its own; tests of an ``HTTPSending`` may make others.
    public init(method: String = "POST", url: URL, headerFields: [String: String], body: Data) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
    }

    /// The method and the URL.
    public var description: String { "\(method) \(url.absoluteString)" }
    /// A mirror with the method and the URL only.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "url": url.absoluteString]) }
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
