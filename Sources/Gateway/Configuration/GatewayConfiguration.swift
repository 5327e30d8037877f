public import Functions
public import Logging
public import Messaging

/// Everything that can be set about a gateway; docs/configuration.md has each key with its default and its reason.
public struct GatewayConfiguration: Sendable {
    public var http = HTTP()
    public var dataDirectory = "./pushgate-data"
    /// nil: notifications go to the emulated transport's inbox.
    public var apns: APNs?
    public var fcm = FCM()
    /// How long a message is tried that does not say so itself.
    public var messageLifetime = Duration.seconds(30 * 24 * 60 * 60)
    /// How long a message is kept once it has settled.
    public var messageRetention = Duration.seconds(7 * 24 * 60 * 60)
    public var codeAgents = CodeAgentsConfiguration()
    public var log = Log()
    /// nil: one is made at first start and kept in the data directory.
    public var adminToken: RedactedString?

    public init() {}

    public struct HTTP: Hashable, Sendable {
        public var host = "127.0.0.1"
        /// 0 takes any free port.
        public var port = 8_080
        /// Peers whose `X-Forwarded-For` is believed.
        public var trustedProxies: [AddressRange] = []
        /// How long a client may take to send a request once it has begun.
        public var requestTimeout = Duration.seconds(10)

        public init() {}
    }

    public struct APNs: Sendable {
        /// The first is the one of registrations that name none.
        public var apps: [App]
        /// Certificate authorities to trust instead of the system's, as PEM.
        public var caFile: String?
    }

    public struct App: Sendable {
        /// What its keys' names begin with: `apns`, or `apps[2]`.
        public var place: String
        public var bundleID: String
        public var keyPath: String
        public var keyID: String
        public var teamID: String
        public var environment: APNsEnvironment
        /// Where to send instead of Apple's hosts.
        public var endpoint: String?
    }

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

    public struct Log: Hashable, Sendable {
        public var level = Logger.Level.info
        public var format = LogFormat.human

        public init() {}
    }
}

public enum UnregisteredError: String, Sendable, CaseIterable {
    /// 404, on which every SDK forgets the token.
    case unregistered
    /// 400, as newer versions of FCM answer.
    case invalidArgument = "invalid_argument"
}

public enum LogFormat: String, Sendable, CaseIterable {
    /// A line a message, for a terminal or a journal.
    case human
    /// An object a line.
    case json
}
