/// A subscription of a page in a browser, to which one endpoint belongs (RFC 8030 §4).
public struct Subscription: Hashable, Sendable {
    /// The capability in the endpoint's path.
    public let token: String
    /// The service that the endpoint belongs to.
    public let service: PushServiceProfile
    /// The URL for the application server.
    public let endpoint: String
    /// The key in base64url that requests must be signed with; `nil` if there is no restriction (RFC 8292 §4).
    public let applicationServerKey: String?
    /// The largest body in bytes: 4,096, or less behind a bridge to another service.
    public let maximumBody: Int

    /// The origin of the endpoint, which a token names as its audience.
    var origin: String {
        let scheme = "https://"
        return scheme + endpoint.dropFirst(scheme.count).prefix { $0 != "/" }
    }
}

/// The subscription of an endpoint, as a request finds it.
enum SubscriptionLookup: Hashable, Sendable {
    case active(Subscription)
    /// The subscription has ended.
    case ended(Subscription)
    case unknown
}
