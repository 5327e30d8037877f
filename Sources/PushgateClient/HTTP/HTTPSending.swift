public import Foundation

/// Sends requests to a gateway. ``URLSessionSender`` is the usual one.
public protocol HTTPSending: Sendable {
    /// Sends a request once, without following redirects: its secret is for this gateway alone.
    ///
    /// - Returns: whatever was answered, also with an error's status.
    /// - Throws: when there was no answer. Of an error that is no `URLError` only the type is passed on.
    func send(_ request: GatewayRequest) async throws -> GatewayResponse
}

/// One `POST` to a gateway. It prints without its secret and its body.
public struct GatewayRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let url: URL
    /// `Authorization` with the secret, and `Content-Type`.
    public let headerFields: [String: String]
    /// A JSON object, with the phone's token in it.
    public let body: Data

    public init(url: URL, headerFields: [String: String], body: Data) {
        self.url = url
        self.headerFields = headerFields
        self.body = body
    }

    public var description: String { "POST \(url.absoluteString)" }
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

/// What a gateway answered.
public struct GatewayResponse: Hashable, Sendable {
    public let status: Int
    /// The value of `Retry-After`, when there is one.
    public let retryAfter: String?
    public let body: Data

    public init(status: Int, retryAfter: String? = nil, body: Data = Data()) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}
