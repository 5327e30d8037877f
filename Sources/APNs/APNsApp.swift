package import Cryptography
package import HTTP2Client

/// An app, and the key that signs the provider tokens for its notifications.
package struct APNsApp: Sendable {
    /// The app's bundle id, which is the topic of its notifications.
    package var bundleID: String
    /// The key of a `.p8` file. A team can create it once and download it once on Apple's developer site.
    package var key: ES256PrivateKey
    /// The key's id: ten characters, shown beside the key on the developer site.
    package var keyID: String
    /// The team's id: ten characters.
    package var teamID: String
    /// The environment that is tried first for a token whose registration names none.
    package var environment: APNsEnvironment
    /// A server that replaces Apple's in both environments: a simulator, or a relay in front of Apple. `nil` for
    /// Apple's servers.
    package var endpoint: HTTP2Origin?
    /// A server that takes broadcasts in place of the one for notifications, in both environments.
    package var broadcastEndpoint: HTTP2Origin?
    /// A server that manages channels in place of Apple's, in both environments.
    package var channelEndpoint: HTTP2Origin?

    package init(
        bundleID: String, key: ES256PrivateKey, keyID: String, teamID: String, environment: APNsEnvironment = .sandbox,
        endpoint: HTTP2Origin? = nil, broadcastEndpoint: HTTP2Origin? = nil, channelEndpoint: HTTP2Origin? = nil
    ) {
        self.bundleID = bundleID
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
        self.endpoint = endpoint
        self.broadcastEndpoint = broadcastEndpoint
        self.channelEndpoint = channelEndpoint
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

    /// Returns the server that receives the app's broadcasts.
    ///
    /// [Apple's text](https://developer.apple.com/documentation/usernotifications/sending-broadcast-push-notification-requests-to-apns)
    /// names the hosts for notifications, and its examples name others.
    func broadcastOrigin(in environment: APNsEnvironment) -> HTTP2Origin {
        broadcastEndpoint ?? origin(in: environment)
    }

    /// Returns the server that manages the app's channels; `nil` if notifications go to another server than Apple's,
    /// and none is named for channels: Apple's channels would be useless there.
    ///
    /// [Apple's hosts](https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns)
    func channelOrigin(in environment: APNsEnvironment) -> HTTP2Origin? {
        if let channelEndpoint { return channelEndpoint }
        guard endpoint == nil else { return nil }
        switch environment {
        case .sandbox: return HTTP2Origin(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2_195)
        case .production: return HTTP2Origin(host: "api-manage-broadcast.push.apple.com", port: 2_196)
        }
    }
}

/// The apps that a gateway sends notifications for.
package struct APNsApps: Sendable, CustomStringConvertible {
    /// The app of registrations that name none. Its key also serves bundle ids without an entry: a team's key is
    /// valid for all apps of the team.
    package var standard: APNsApp
    /// Further apps. An app that is listed twice has one entry for each environment.
    package var others: [APNsApp]

    /// Bundle ids without an entry of their own that are allowed too.
    package var moreBundleIDs: Set<String>
    /// `true` if every other bundle id is allowed as well.
    package var allowsUnconfigured: Bool

    /// Creates the list of apps, with `standard` for all registrations that name no app.
    package init(
        _ standard: APNsApp, _ others: [APNsApp] = [], moreBundleIDs: Set<String> = [], allowsUnconfigured: Bool = false
    ) {
        self.standard = standard
        self.others = others
        self.moreBundleIDs = moreBundleIDs
        self.allowsUnconfigured = allowsUnconfigured
    }

    /// The environment or endpoint and the topic of the standard app, and the number of other apps.
    package var description: String {
        let more = others.isEmpty ? "" : ", and \(others.count) more"
        return "APNs (\(standard.endpoint?.url ?? standard.environment.rawValue)), topic \(standard.bundleID)\(more)"
    }
}
