import HTTP2Client
import HTTPTransport

/// A request to a push service.
struct WebPushRequest: Sendable {
    let endpoint: WebPushEndpoint
    /// The fields that other requests to the same service share.
    let headers: PreparedHeaders
    /// The same fields by their names.
    let fields: [(name: String, value: String)]
    /// The value of `Authorization`.
    let authorization: String
    /// The encrypted message, which no other request has.
    let body: [UInt8]
    let deadline: Duration
    /// Returns `true` if the notification was given up.
    var isGivenUp: @Sendable () -> Bool = { false }
    /// A closure that is called when a client has the request.
    var wasSubmitted: @Sendable () -> Void = {}
}

/// The reason why a request has no answer.
struct WebPushRequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind, such as `timedOut`.
    let kind: String
    /// `true` if other requests to the host would fail in the same way now. A request that waited too long for a place
    /// on a connection does not count: there are connections.
    let isWithoutConnection: Bool
    /// `true` if the host has no address that may be connected to.
    let isAddressRefused: Bool
    /// `true` if this gateway gave the request up.
    let isOwn: Bool
    /// The error in words, without the path of the endpoint.
    let description: String

    init(_ error: HTTP2ClientError) {
        kind = error.kind.rawValue
        isWithoutConnection = error.isWithoutConnection && error.kind != .timedOut
        isAddressRefused = false
        isOwn = error.kind == .cancelled || error.kind == .closed
        description = "\(error)"
    }

    init(_ error: HTTPClientError) {
        kind = error.kind.rawValue
        // libcurl's own time limits are those of connecting.
        isWithoutConnection = error.isWithoutConnection && (error.kind != .timedOut || error.curlCode != nil)
        isAddressRefused = error.kind == .addressRefused
        isOwn = error.kind == .cancelled || error.kind == .closed
        description = "\(error)"
    }
}
