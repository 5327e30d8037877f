/// A subscription of a page in a browser, to which one endpoint belongs (RFC 8030 §4).
public struct Subscription: Hashable, Sendable {
    /// The capability in the endpoint's path.
    public let token: String
    /// The service that the endpoint belongs to.
    public let service: PushServiceProfile
    /// The URL for the application server. The page in Chromium may see it on another one of Google's hosts.
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

    /// The origins that a token may name as its audience. Chromium chooses one of Google's hosts by itself, and does
    /// not tell it to the service.
    var origins: [String] { [origin] + (service == .google ? service.hosts.map { "https://" + $0 } : []) }
}

/// The subscription of an endpoint, as a request finds it.
enum SubscriptionLookup: Hashable, Sendable {
    case active(Subscription)
    /// The subscription has ended.
    case ended(Subscription)
    case unknown
}
