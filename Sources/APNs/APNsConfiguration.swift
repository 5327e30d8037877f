public import Cryptography
public import Messaging

/// How one developer team sends through APNs.
public struct APNsConfiguration: Sendable {
    /// The key of a `.p8` file; Apple's developer site lets a team make it once and download it once.
    public var key: ES256PrivateKey
    /// The key's id, ten characters, shown beside it.
    public var keyID: String
    /// The team's id, ten characters.
    public var teamID: String
    /// The bundle id notifications go to when a registration names none.
    public var bundleID: String
    /// The environment a token belongs to when its registration names none.
    public var environment: APNsEnvironment
    /// Where to send instead of Apple's hosts: `https://host:port`. For simulators and proxies; both environments go there.
    public var endpoint: String?
    /// How long one request may take.
    public var deadline = Duration.seconds(30)

    public init(
        key: ES256PrivateKey, keyID: String, teamID: String, bundleID: String, environment: APNsEnvironment = .sandbox,
        endpoint: String? = nil
    ) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.bundleID = bundleID
        self.environment = environment
        self.endpoint = endpoint
    }

    /// Scheme, host and port to send to.
    ///
    /// [Apple's hosts](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
    func baseURL(for environment: APNsEnvironment?) -> String {
        if let endpoint { return endpoint }
        switch environment ?? self.environment {
        case .sandbox: return "https://api.sandbox.push.apple.com"
        case .production: return "https://api.push.apple.com"
        }
    }
}
