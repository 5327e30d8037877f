public import Cryptography
public import HTTP2Client
public import Messaging

/// An app, and the key its notifications are sent with.
public struct APNsApp: Sendable {
    /// The app's bundle id: the topic of its notifications.
    public var bundleID: String
    /// The key of a `.p8` file; Apple's developer site lets a team make it once and download it once.
    public var key: ES256PrivateKey
    /// The key's id, ten characters, shown beside it.
    public var keyID: String
    /// The team's id, ten characters.
    public var teamID: String
    /// The environment that is tried first for a token whose registration names none.
    public var environment: APNsEnvironment
    /// The server to send to instead of Apple's, for both environments: a simulator, or a relay in front of Apple's.
    public var endpoint: HTTP2Origin?

    public init(
        bundleID: String, key: ES256PrivateKey, keyID: String, teamID: String, environment: APNsEnvironment = .sandbox,
        endpoint: HTTP2Origin? = nil
    ) {
        self.bundleID = bundleID
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
        self.endpoint = endpoint
    }

    /// Returns the server to send to.
    ///
    /// [Apple's hosts](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
    func origin(in environment: APNsEnvironment) -> HTTP2Origin {
        if let endpoint { return endpoint }
        switch environment {
        case .sandbox: return HTTP2Origin(host: "api.sandbox.push.apple.com")
        case .production: return HTTP2Origin(host: "api.push.apple.com")
        }
    }
}
