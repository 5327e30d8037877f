import HTTP2Client
import HTTPClient
import HTTPTypes

/// A request to a push service.
struct WebPushRequest: Sendable {
    let endpoint: WebPushEndpoint
    /// The fields that other requests to the same server share.
    let headers: WebPushRequestHeaders
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

/// The header fields that the requests of a message to one server share, in the forms of both clients.
struct WebPushRequestHeaders: Sendable {
    /// The fields over HTTP/2.
    let prepared: PreparedHeaders
    /// The fields over either version.
    let shared: SharedHeaderFields

    /// Converts the fields for an endpoint's server, and adds the name of the sender's program.
    init(_ headers: WebPushHeaders, for endpoint: WebPushEndpoint) {
        let fields = headers.fields(for: endpoint.profile) + [(name: "user-agent", value: "pushgate")]
        prepared = PreparedHeaders(origin: HTTP2Origin(host: endpoint.host, port: endpoint.port), fields)
        var shared = HTTPFields()
        for field in fields {
            if let name = HTTPField.Name(field.name) { shared[name] = field.value }
        }
        self.shared = SharedHeaderFields(shared)
    }
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
