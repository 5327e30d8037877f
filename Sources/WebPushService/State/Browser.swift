/// A browser's profile that the service knows (a user agent, RFC 8030 §1).
struct Browser: Hashable, Sendable {
    /// The protocol by which the browser is connected.
    enum Kind: Hashable, Sendable {
        case firefox
        case chromium(androidID: UInt64, securityToken: UInt64)
    }

    /// The id under which the service knows the profile: the `uaid` of Firefox, the check-in's id of Chromium.
    let id: String
    let kind: Kind
    /// The lowest urgency of the messages that the browser receives. A device that saves power raises it.
    var minimumUrgency = Urgency.veryLow

    static func firefox(_ userAgentID: String) -> Browser { Browser(id: userAgentID, kind: .firefox) }

    static func chromium(_ androidID: UInt64, securityToken: UInt64) -> Browser {
        Browser(id: String(androidID), kind: .chromium(androidID: androidID, securityToken: securityToken))
    }
}

/// The names by which a browser knows a subscription.
struct PageChannel: Hashable, Sendable {
    /// Firefox's channel id, or Chromium's `X-subtype`; `nil` if Chromium has sent none.
    let id: String?
    /// Chromium's `app`; `nil` for Firefox.
    var app: String?
    /// Chromium's `sender`; `nil` for Firefox.
    var sender: String?
}

/// A subscription with its place in a browser.
struct SubscriptionRecord: Hashable, Sendable {
    let token: String
    let service: PushServiceProfile
    /// The id of the browser; `nil` for a subscription without one, whose messages are acknowledged at once.
    let browserID: String?
    let channel: PageChannel?
    /// The key in base64url that requests must be signed with; `nil` if there is no restriction.
    let applicationServerKey: String?
    let maximumBody: Int
    /// `true` if the browser or a test has ended the subscription.
    var isEnded = false
}

/// An accepted message that waits for its browser.
struct PushMessage: Hashable, Sendable {
    let id: String
    let token: String
    let topic: String?
    let urgency: Urgency
    /// The content encoding; `nil` if there is no body.
    let encoding: String?
    let body: [UInt8]
    /// The lifetime in seconds; 0 for a message that is delivered at once or never.
    let timeToLive: Int64
    /// The time of acceptance, in milliseconds since 1970.
    let acceptedAt: Int64

    /// The end of the lifetime, in milliseconds since 1970.
    var expiresAt: Int64 { acceptedAt + timeToLive * 1000 }
}

/// The form of endpoints.
struct EndpointForm: Hashable, Sendable {
    /// The origin of the service's own address, such as `https://127.0.0.1:8030`.
    var origin: String
    /// `true` if endpoints have the names of the services' own hosts. A sender then needs the proxy.
    let usesServiceNames: Bool

    func subscription(_ record: SubscriptionRecord) -> Subscription {
        let path = EndpointPath.path(
            record.service, token: record.token, isRestricted: record.applicationServerKey != nil)
        return Subscription(
            token: record.token, service: record.service, endpoint: origin(record.service) + path,
            applicationServerKey: record.applicationServerKey, maximumBody: record.maximumBody)
    }

    private func origin(_ service: PushServiceProfile) -> String {
        guard let host = service.endpointHost else { return origin }
        // Chromium makes the endpoint itself, of Google's host and the token that it has received.
        return usesServiceNames || service == .google ? "https://" + host : origin
    }
}
