import Foundation
package import Functions
package import Logging
package import Messaging
package import Secrets
package import Server

/// The settings of a gateway. docs/configuration.md describes each key with its default and the reason for it.
package struct GatewayConfiguration: Sendable {
    /// The settings of the HTTP server.
    package var http = HTTP()
    /// The path of the data directory, absolute or relative to the working directory.
    package var dataDirectory = "./pushgate-data"
    /// The free bytes on the data directory's disk below which the gateway accepts no new data. 0 accepts always;
    /// `nil` means the larger of 256 MiB and 2 % of the disk.
    package var minimumFreeBytes: Int?
    /// The peers that read the metrics without the admin token, besides this machine.
    package var metricsPeers: [AddressRange] = []
    /// The number of daily backups to keep in the data directory; 0 for none.
    package var dailyBackups = 0
    /// `true` to back up the data before a newer version updates the database.
    package var backsUpBeforeUpgrade = true
    /// The push services that are switched on. Without credentials for one, notifications stay in the inbox.
    package var services = EnabledServices.standard
    /// The settings of the FCM interface.
    package var fcm = FCM()
    /// The settings of the document store.
    package var store = Store()
    /// The settings of Firestore's interface.
    package var firestore = Firestore()
    /// The time during which a message is retried, if the message sets none itself.
    package var messageLifetime = Duration.seconds(30 * 24 * 60 * 60)
    /// The time that a message is kept after it has settled.
    package var messageRetention = Duration.seconds(7 * 24 * 60 * 60)
    /// The maximum number of bytes that one owner's settled messages may keep; 0 for no limit.
    package var messageBytesPerOwner = 64 * 1_024 * 1_024
    /// The systems that are switched on.
    package var modules = EnabledModules.standard
    /// The settings of the log.
    package var log = Log()
    /// The admin token; `nil` to generate one at the first start and keep it in the data directory.
    package var adminToken: RedactedString?
    /// The token with which the console can be read, and nothing changed; `nil` for none.
    package var readToken: RedactedString?

    /// Creates the default configuration.
    package init() {}

    /// The absolute path of ``dataDirectory``.
    package var absoluteDataDirectory: String { URL(fileURLWithPath: dataDirectory).standardizedFileURL.path }

    /// The settings of a module; `nil` if it is switched off.
    package subscript<Module: FunctionModule>(module: Module.Type) -> Module.Settings? {
        get { modules[module] }
        set { modules[module] = newValue }
    }

    /// The settings of a push service; `nil` if it is switched off.
    package subscript<Service: PushService>(service: Service.Type) -> Service.Settings? {
        get { services[service] }
        set { services[service] = newValue }
    }

    /// The settings of the HTTP server.
    package struct HTTP: Hashable, Sendable {
        /// The address or host name to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 for any free port.
        package var port = 8_080
        /// The peers that are trusted to name the client in ``forwardedField``.
        package var trustedProxies: [AddressRange] = []
        /// The field in which trusted proxies name the client.
        package var forwardedField = ForwardedField.xForwardedFor
        /// The peers that count as loopback.
        package var localPeers: [AddressRange] = []
        /// The names of the gateway besides the names of loopback.
        package var names: [GatewayName] = []
        /// The time within which a client must send a request once it has begun.
        package var requestTimeout = Duration.seconds(10)
        /// The settings of the HTTPS port; `nil` for none.
        package var tls: TLS?

        /// Creates the default settings.
        package init() {}
    }

    /// The settings of the log.
    package struct Log: Hashable, Sendable {
        /// The lowest level that is logged.
        package var level = Logger.Level.info
        /// The format of log lines.
        package var format = LogFormat.human

        /// Creates the default settings.
        package init() {}
    }
}

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// A plain line for each message, for a terminal or a journal.
    case human
    /// A JSON object on a line for each message.
    case json
}
