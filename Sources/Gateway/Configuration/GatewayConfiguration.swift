internal import Foundation
public import Functions
public import HTTP2Client
public import Logging
public import Messaging

/// The settings of a gateway. docs/configuration.md describes each key with its default and the reason for it.
public struct GatewayConfiguration: Sendable {
    /// The settings of the HTTP server.
    public var http = HTTP()
    /// The path of the data directory, absolute or relative to the working directory.
    public var dataDirectory = "./pushgate-data"
    /// The free bytes on the data directory's disk below which the gateway accepts no new data. 0 accepts always;
    /// `nil` means the larger of 256 MiB and 2 % of the disk.
    public var minimumFreeBytes: Int?
    /// The settings for Apple's push service; `nil` to keep notifications in the emulated transport's inbox.
    public var apns: APNs?
    /// The settings of the FCM interface.
    public var fcm = FCM()
    /// The time during which a message is retried, if the message sets none itself.
    public var messageLifetime = Duration.seconds(30 * 24 * 60 * 60)
    /// The time that a message is kept after it has settled.
    public var messageRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The maximum number of bytes that one owner's settled messages may keep; 0 for no limit.
    public var messageBytesPerOwner = 64 * 1_024 * 1_024
    /// The systems that are switched on.
    public var modules = EnabledModules.standard
    /// The settings of the log.
    public var log = Log()
    /// The admin token; `nil` to generate one at the first start and keep it in the data directory.
    public var adminToken: RedactedString?

    /// Creates the default configuration.
    public init() {}

    /// The absolute path of ``dataDirectory``.
    public var absoluteDataDirectory: String { URL(fileURLWithPath: dataDirectory).standardizedFileURL.path }

    /// The settings of a module; `nil` if it is switched off.
    public subscript<Module: FunctionModule>(module: Module.Type) -> Module.Settings? {
        get { modules[module] }
        set { modules[module] = newValue }
    }

    /// The settings of the HTTP server.
    public struct HTTP: Hashable, Sendable {
        /// The address or host name to listen on.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 for any free port.
        public var port = 8_080
        /// The peers whose `X-Forwarded-For` field is trusted.
        public var trustedProxies: [AddressRange] = []
        /// The peers that count as loopback.
        public var localPeers: [AddressRange] = []
        /// The names of the gateway besides the names of loopback.
        public var names: [GatewayName] = []
        /// The time within which a client must send a request once it has begun.
        public var requestTimeout = Duration.seconds(10)

        /// Creates the default settings.
        public init() {}
    }

    /// The settings for Apple's push service.
    public struct APNs: Sendable {
        /// The configured apps. The first one is the app of registrations that name none.
        public var apps: [App]
        /// `true` to send for apps that are not listed as well, with the first app's key.
        public var allowsUnconfiguredApps = false
        /// The path of a PEM file of certificate authorities to trust in place of the system's.
        public var caFile: String?
        /// The proxy for connections to Apple, and the hosts that bypass it.
        public var proxy = ProxyRule.direct
    }

    /// The settings of an app: bundle id, signing key and environment.
    public struct App: Sendable {
        /// The prefix of the app's keys in error texts: `apns`, or `apps[2]`.
        public var place: String
        /// The bundle id.
        public var bundleID: String
        /// The path of the signing key, a .p8 file.
        public var keyPath: String
        /// The key id.
        public var keyID: String
        /// The team id.
        public var teamID: String
        /// The environment of the app's devices.
        public var environment: APNsEnvironment
        /// The URL to send to in place of Apple's hosts.
        public var endpoint: String?
    }

    /// The settings of the log.
    public struct Log: Hashable, Sendable {
        /// The lowest level that is logged.
        public var level = Logger.Level.info
        /// The format of log lines.
        public var format = LogFormat.human

        /// Creates the default settings.
        public init() {}
    }
}

/// The format of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// A plain line for each message, for a terminal or a journal.
    case human
    /// A JSON object on a line for each message.
    case json
}

/// A secret that can be compared and used, but that prints as `<redacted>`.
public struct RedactedString: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The secret itself; do not put it into logs or error texts.
    public let value: String

    /// Wraps a secret.
    public init(_ value: String) { self.value = value }

    /// The text `<redacted>`.
    public var description: String { "<redacted>" }
    /// A mirror without children, so that a dump does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
