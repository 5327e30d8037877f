import FCMRelay
import Foundation
import Server
import Settings

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

        /// The project number that apps use, of twelve digits like those of Google's projects. It depends on the
        /// project id only.
        var senderID: String {
            let hash = projectID.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
            return String(100_000_000_000 + hash % 900_000_000_000)
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

/// The error with which `messages:send` reports a token that Apple calls unregistered: `fcm.unregisteredAs`.
package enum UnregisteredError: String, Sendable, CaseIterable {
    /// Status 404, on which every SDK forgets the token.
    case unregistered
    /// Status 400, as newer versions of FCM answer.
    case invalidArgument = "invalid_argument"
}

extension GatewayConfiguration.FCM {
    init(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        projectID = settings.string("fcm.projectId") ?? projectID
        let allowed = projectID.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard allowed, projectID.count <= 63 else {
            throw ConfigurationError(
                key: "fcm.projectId", problem: "must consist of at most 63 lower-case letters, digits and hyphens")
        }
        sendWait = try settings.duration("fcm.sendWait") ?? sendWait
        messagesPerMinutePerAccount =
            try settings.integer("fcm.messagesPerMinutePerAccount", in: 0...1_000_000_000)
            ?? messagesPerMinutePerAccount
        unregisteredAs = try settings.choice("fcm.unregisteredAs") ?? unregisteredAs
        tlsPort = try settings.integer("fcm.tls.port", in: 0...65_535)
        proxyPort = try settings.integer("fcm.proxy.port", in: 0...65_535)
        relay = try GatewayConfiguration.Relay(settings)
    }
}

extension GatewayConfiguration.Relay {
    /// Reads the relay's settings; `nil` if no service account is configured.
    init?(_ settings: SettingsReader) throws(ConfigurationError) {
        let endpoint = try settings.string("fcm.relay.endpoint").map(Self.checked)
        guard let path = settings.string("fcm.relay.serviceAccount") else {
            guard endpoint == nil else {
                throw ConfigurationError(
                    key: "fcm.relay.serviceAccount", problem: "is missing; fcm.relay.endpoint has no effect without it")
            }
            return nil
        }
        self.init(serviceAccountPath: path, endpoint: endpoint ?? FCMRelayTransport.standardEndpoint)
    }

    /// Returns the endpoint if it is valid. The relay sends access tokens there, so plain HTTP is allowed to this
    /// machine only.
    private static func checked(_ endpoint: String) throws(ConfigurationError) -> String {
        guard let components = URLComponents(string: endpoint), let host = components.host, !host.isEmpty,
            components.scheme == "https"
                || components.scheme == "http" && IPAddress.isLoopback(host: host.filter { !"[]".contains($0) }),
            ["", "/"].contains(components.path), components.query == nil,
            components.fragment == nil, components.user == nil, components.password == nil
        else {
            throw ConfigurationError(
                key: "fcm.relay.endpoint",
                problem: "“\(endpoint)” must be https://, a host and an optional port, without a path")
        }
        return endpoint
    }
}
