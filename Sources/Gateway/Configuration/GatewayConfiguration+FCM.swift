internal import FCMRelay
internal import Foundation

extension GatewayConfiguration {
    /// FCM's own interface.
    public struct FCM: Hashable, Sendable {
        /// What the gateway calls itself as a Firebase project.
        public var projectID = "pushgate"
        /// How long `messages:send` waits for the push service before it answers that the message is accepted.
        public var sendWait = Duration.seconds(10)
        /// How a token is reported that Apple says is gone.
        public var unregisteredAs = UnregisteredError.unregistered
        /// nil: tokens that this gateway did not make are refused.
        public var relay: Relay?
        /// Where to serve over TLS, under Google's names; 0 takes any free port, nil: nowhere.
        public var tlsPort: Int?
        /// Where the proxy listens that leads there; 0 takes any free port, nil: there is none.
        public var proxyPort: Int?

        /// What apps know the project by, a number of twelve digits as Google's projects have: always the same for an id.
        var senderID: String {
            let hash = projectID.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
            return String(100_000_000_000 + hash % 900_000_000_000)
        }

        public init() {}
    }

    /// The way to Google's FCM.
    public struct Relay: Hashable, Sendable {
        /// The path of a service account's JSON file.
        public var serviceAccountPath: String
        /// Scheme, host and port.
        public var endpoint: String
    }
}

/// How `messages:send` reports a token that Apple says is gone: `fcm.unregisteredAs`.
public enum UnregisteredError: String, Sendable, CaseIterable {
    /// 404, on which every SDK forgets the token.
    case unregistered
    /// 400, as newer versions of FCM answer.
    case invalidArgument = "invalid_argument"
}

extension GatewayConfiguration.FCM {
    init(_ settings: Settings) throws(ConfigurationError) {
        self.init()
        projectID = settings.string("fcm.projectId") ?? projectID
        let allowed = projectID.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard allowed, projectID.count <= 63 else {
            throw ConfigurationError(
                key: "fcm.projectId", problem: "must be of lower-case letters, digits and hyphens, 63 at the most")
        }
        sendWait = try settings.duration("fcm.sendWait") ?? sendWait
        unregisteredAs = try settings.choice("fcm.unregisteredAs") ?? unregisteredAs
        tlsPort = try settings.integer("fcm.tls.port", in: 0...65_535)
        proxyPort = try settings.integer("fcm.proxy.port", in: 0...65_535)
        relay = try GatewayConfiguration.Relay(settings)
    }
}

extension GatewayConfiguration.Relay {
    /// nil when nothing says under whose name to send.
    init?(_ settings: Settings) throws(ConfigurationError) {
        let endpoint = try settings.string("fcm.relay.endpoint").map(Self.checked)
        guard let path = settings.string("fcm.relay.serviceAccount") else {
            guard endpoint == nil else {
                throw ConfigurationError(
                    key: "fcm.relay.serviceAccount", problem: "is missing; without it the endpoint is of no use")
            }
            return nil
        }
        self.init(serviceAccountPath: path, endpoint: endpoint ?? FCMRelayTransport.standardEndpoint)
    }

    /// Access tokens go there: only this machine may be told them in clear.
    private static func checked(_ endpoint: String) throws(ConfigurationError) -> String {
        guard let components = URLComponents(string: endpoint), let host = components.host, !host.isEmpty,
            components.scheme == "https"
                || components.scheme == "http" && IPAddress.isLoopback(host: host.filter { !"[]".contains($0) }),
            ["", "/"].contains(components.path), components.query == nil,
            components.fragment == nil, components.user == nil, components.password == nil
        else {
            throw ConfigurationError(
                key: "fcm.relay.endpoint",
                problem: "“\(endpoint)” is not https://, a host and perhaps a port, with nothing behind it")
        }
        return endpoint
    }
}
