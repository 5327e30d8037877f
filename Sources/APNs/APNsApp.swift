public import Cryptography
public import HTTP2Client
public import Messaging

/// An app, and the key that signs the provider tokens for its notifications.
public struct APNsApp: Sendable {
    /// The app's bundle id, which is the topic of its notifications.
    public var bundleID: String
    /// The key of a `.p8` file. A team can create it once and download it once on Apple's developer site.
    public var key: ES256PrivateKey
    /// The key's id: ten characters, shown beside the key on the developer site.
    public var keyID: String
    /// The team's id: ten characters.
    public var teamID: String
    /// The environment that is tried first for a token whose registration names none.
    public var environment: APNsEnvironment
    /// A server that replaces Apple's in both environments: a simulator, or a relay in front of Apple. `nil` for
    /// Apple's servers.
    public var endpoint: HTTP2Origin?

    /// Creates an app that sends with one key.
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

    /// Returns the server that receives the app's requests.
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

/// The apps that a gateway sends notifications for.
public struct APNsApps: Sendable, CustomStringConvertible {
    /// The app of registrations that name none. Its key also serves bundle ids without an entry: a team's key is
    /// valid for all apps of the team.
    public var standard: APNsApp
    /// Further apps. An app that is listed twice has one entry for each environment.
    public var others: [APNsApp]

    /// Bundle ids without an entry of their own that are allowed too.
    public var moreBundleIDs: Set<String>
    /// `true` if every other bundle id is allowed as well.
    public var allowsUnconfigured: Bool

    /// Creates the list of apps, with `standard` for all registrations that name no app.
    public init(
        _ standard: APNsApp, _ others: [APNsApp] = [], moreBundleIDs: Set<String> = [], allowsUnconfigured: Bool = false
    ) {
        self.standard = standard
        self.others = others
        self.moreBundleIDs = moreBundleIDs
        self.allowsUnconfigured = allowsUnconfigured
    }

    /// The environment or endpoint and the topic of the standard app, and the number of other apps.
    public var description: String {
        let more = others.isEmpty ? "" : ", and \(others.count) more"
        return "APNs (\(standard.endpoint?.url ?? standard.environment.rawValue)), topic \(standard.bundleID)\(more)"
    }
}
