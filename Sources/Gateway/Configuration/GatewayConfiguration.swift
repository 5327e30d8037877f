internal import Foundation
public import Functions
public import HTTP2Client
public import Logging
public import Messaging

/// Everything that can be set about a gateway; docs/configuration.md has each key with its default and its reason.
public struct GatewayConfiguration: Sendable {
    public var http = HTTP()
    public var dataDirectory = "./pushgate-data"
    /// The free bytes on the data directory's disk below which nothing new is accepted, 0 for none; nil for the larger
    /// of 256 MiB and 2 % of the disk.
    public var minimumFreeBytes: Int?
    /// nil: notifications go to the emulated transport's inbox.
    public var apns: APNs?
    public var fcm = FCM()
    /// How long a message is tried that does not say so itself.
    public var messageLifetime = Duration.seconds(30 * 24 * 60 * 60)
    /// How long a message is kept once it has settled.
    public var messageRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The most bytes that one owner's settled messages keep; 0 for any number.
    public var messageBytesPerOwner = 64 * 1_024 * 1_024
    public var systems = Systems()
    public var log = Log()
    /// nil: one is made at first start and kept in the data directory.
    public var adminToken: RedactedString?

    public init() {}

    /// ``dataDirectory``, wherever one is.
    public var absoluteDataDirectory: String { URL(fileURLWithPath: dataDirectory).standardizedFileURL.path }

    /// The systems that run on the gateway, a folder of `functions/` each; nil for one that is switched off.
    public struct Systems: Hashable, Sendable {
        public var codeAgents = CodeAgentsConfiguration()
        public var runs: RunsConfiguration?
        public var turns: TurnsConfiguration?
        public var sessions: SessionsConfiguration?
        public var humanTasks: HumanTasksConfiguration?

        public init() {}
    }

    public struct HTTP: Hashable, Sendable {
        public var host = "127.0.0.1"
        /// 0 takes any free port.
        public var port = 8_080
        /// Peers whose `X-Forwarded-For` is believed.
        public var trustedProxies: [AddressRange] = []
        /// Peers that count as loopback.
        public var localPeers: [AddressRange] = []
        /// Names of the gateway's besides loopback's.
        public var names: [GatewayName] = []
        /// How long a client may take to send a request once it has begun.
        public var requestTimeout = Duration.seconds(10)

        public init() {}
    }

    public struct APNs: Sendable {
        /// The first is the one of registrations that name none.
        public var apps: [App]
        /// Sends for apps that are not listed too, with the first one's key.
        public var allowsUnconfiguredApps = false
        /// Certificate authorities to trust instead of the system's, as PEM.
        public var caFile: String?
        /// The proxy on the way there, and the hosts for which there is none.
        public var proxy = ProxyRule.direct
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

    public struct Log: Hashable, Sendable {
        public var level = Logger.Level.info
        public var format = LogFormat.human

        public init() {}
    }
}

public enum LogFormat: String, Sendable, CaseIterable {
    /// A line a message, for a terminal or a journal.
    case human
    /// An object a line.
    case json
}
