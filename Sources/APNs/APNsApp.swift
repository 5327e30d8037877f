public import Cryptography
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
    /// Where to send instead of Apple's hosts: `https://host:port`. For simulators and proxies; both environments go there.
    public var endpoint: String?

    public init(
        bundleID: String, key: ES256PrivateKey, keyID: String, teamID: String, environment: APNsEnvironment = .sandbox,
        endpoint: String? = nil
    ) {
        self.bundleID = bundleID
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
        self.endpoint = endpoint
    }

    /// Scheme, host and port to send to.
    ///
    /// [Apple's hosts](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
    func baseURL(in environment: APNsEnvironment) -> String {
        if let endpoint { return endpoint }
        switch environment {
        case .sandbox: return "https://api.sandbox.push.apple.com"
        case .production: return "https://api.push.apple.com"
        }
    }
}
