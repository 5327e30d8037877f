package import FCMInterface
import FCMRelay
import Foundation
import Server
package import Settings

extension GatewayConfiguration {
    /// The settings of the FCM interface.
    package struct FCM: Hashable, Sendable {
        /// The id of the Firebase project that the gateway presents itself as.
        package var projectID = "pushgate"
        /// The time that `messages:send` waits for the push service before it answers that the message is accepted.
        package var sendWait = Duration.seconds(10)
        /// The maximum number of `messages:send` a minute with the access tokens of one service account; 0 removes the
        /// limit. The default is FCM's own for a project.
        package var messagesPerMinutePerAccount = 600_000
        /// The error that reports a token that Apple calls unregistered.
        package var unregisteredAs = UnregisteredError.unregistered
        /// The relay to Google; `nil` to refuse tokens that this gateway did not issue.
        package var relay: Relay?
        /// The port for TLS connections under Google's host names; 0 for any free port, `nil` for none.
        package var tlsPort: Int?
        /// The port of the proxy that leads to the TLS listener; 0 for any free port, `nil` for none.
        package var proxyPort: Int?

        /// The settings of the endpoints.
        var interface: FCMSettings {
            FCMSettings(
                projectID: projectID, sendWait: sendWait, messagesPerMinutePerAccount: messagesPerMinutePerAccount,
                unregisteredAs: unregisteredAs)
        }

        /// Creates the default settings.
        package init() {}
    }

    /// The settings of the relay to Google's FCM.
    package struct Relay: Hashable, Sendable {
        /// The path of a service account's JSON file.
        package var serviceAccountPath: String
        /// The address of FCM: scheme, host and port.
        package var endpoint: String
    }
}

extension GatewayConfiguration.FCM: DeclaredSettings {
    /// The settings outside `fcm.relay`, each declared once.
    package static let settings: [Setting<GatewayConfiguration.FCM>] = [
        Setting("fcm.projectId", \.projectID, .projectID(), "The gateway's own name as a Firebase project"),
        Setting(
            "fcm.sendWait", \.sendWait, .duration(), "The time that messages:send waits for the push service"),
        Setting(
            "fcm.messagesPerMinutePerAccount", \.messagesPerMinutePerAccount, .count(),
            "The largest number of messages:send a minute for one service account; 0 for no limit"),
        Setting(
            "fcm.unregisteredAs", \.unregisteredAs, .choice(),
            "The answer of messages:send if Apple reports that a token is gone"),
        Setting(
            "fcm.tls.port", optional: \.tlsPort, .integer(0...65_535), "The port for TLS under Google's names"),
        Setting(
            "fcm.proxy.port", optional: \.proxyPort, .integer(0...65_535),
            "The port of a proxy that leads to the gateway under Google's names"),
    ]

    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        try apply(settings)
        relay = try GatewayConfiguration.Relay(settings)
    }
}

extension SettingForm where Value == String {
    /// The id of a Firebase project.
    fileprivate static func projectID() -> SettingForm<String> {
        SettingForm<String>("up to 63 lower-case letters, digits and hyphens") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let id = settings.string(key) else { return nil }
            let isAllowed = id.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
            guard isAllowed, id.count <= 63 else {
                throw settings.problem(key, "must consist of at most 63 lower-case letters, digits and hyphens")
            }
            return id
        }
    }

    /// The address of the relay.
    fileprivate static func relayEndpoint() -> SettingForm<String> {
        SettingForm<String>("URL") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let endpoint = settings.string(key) else { return nil }
            guard GatewayConfiguration.Relay.isEndpoint(endpoint) else {
                throw settings.problem(
                    key, "“\(endpoint)” must be https://, a host and an optional port, without a path")
            }
            return endpoint
        }
    }
}

extension GatewayConfiguration.Relay {
    /// The settings as they are written.
    struct Written: DeclaredSettings {
        var serviceAccountPath: String?
        var endpoint: String?

        fileprivate static let serviceAccountKey = "fcm.relay.serviceAccount"
        fileprivate static let endpointKey = "fcm.relay.endpoint"

        static let settings: [Setting<Written>] = [
            Setting(
                serviceAccountKey, optional: \.serviceAccountPath, .text("path"), effect: .reload,
                "The key file of a service account of a Firebase project, to send through Google"),
            Setting(
                endpointKey, optional: \.endpoint, .relayEndpoint(),
                absent: "`\(FCMRelayTransport.standardEndpoint)`", "Another address to send to"),
        ]

        init() {}
    }

    /// Reads the relay's settings; `nil` if no service account is configured.
    init?(_ settings: SettingsReader) throws(ConfigurationError) {
        var written = Written()
        try written.apply(settings)
        let endpoint = written.endpoint
        guard let path = written.serviceAccountPath else {
            guard endpoint == nil else {
                throw ConfigurationError(
                    key: Written.serviceAccountKey,
                    problem: "is missing; \(Written.endpointKey) has no effect without it")
            }
            return nil
        }
        self.init(serviceAccountPath: path, endpoint: endpoint ?? FCMRelayTransport.standardEndpoint)
    }

    /// Returns `true` for a valid endpoint. The relay sends access tokens there, so plain HTTP is allowed to this
    /// machine only.
    fileprivate static func isEndpoint(_ endpoint: String) -> Bool {
        guard let components = URLComponents(string: endpoint), let host = components.host, !host.isEmpty else {
            return false
        }
        let isProtected =
            components.scheme == "https"
            || components.scheme == "http" && IPAddress.isLoopback(host: host.filter { !"[]".contains($0) })
        return isProtected && ["", "/"].contains(components.path) && components.query == nil
            && components.fragment == nil && components.user == nil && components.password == nil
    }
}
