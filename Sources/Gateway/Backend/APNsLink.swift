import APNs
import Cryptography
import DocumentStore
import Foundation
import Functions
import HTTP2Client
import Instance
import Logging
import NIOSSL
import Settings

/// The gateway's connection to Apple: a transport, and the HTTP/2 client that it sends with.
struct APNsLink: Sendable {
    let transport: APNsTransport
    let client: HTTP2Client

    init(
        _ configuration: GatewayConfiguration.APNs, _ modules: EnabledModules, _ logger: Logger
    ) throws(ConfigurationError) {
        var clientConfiguration = HTTP2Client.Configuration()
        if let caFile = configuration.caFile {
            try ConfiguredFile(authorities: "apns.caFile", caFile).checkAuthorities()
        }
        clientConfiguration.caFile = configuration.caFile
        clientConfiguration.proxy = configuration.proxy
        client = HTTP2Client(configuration: clientConfiguration, logger: logger)
        transport = APNsTransport(
            apps: try Self.apps(configuration, modules), client: client,
            window: Self.window,
            now: { Timestamp.now.seconds }, logger: logger)
    }

    /// The maximum number of notifications in flight.
    private static let window = 1_000

    /// A description of the transport, for logs and the start banner.
    var description: String { transport.description }

    /// Closes the client at once. Call it after the dispatcher has stopped: the dispatcher has abandoned the requests
    /// that remain.
    func shutdown() async { await client.shutdown(within: .zero) }

    /// Reads the keys of the configured apps.
    ///
    /// - Parameter modules: The modules, whose own bundle ids are sent for as well.
    static func apps(
        _ configuration: GatewayConfiguration.APNs, _ modules: EnabledModules
    ) throws(ConfigurationError) -> APNsApps {
        var apps: [APNsApp] = []
        for app in configuration.apps {
            apps.append(
                APNsApp(
                    bundleID: app.bundleID, key: try key(of: app), keyID: app.keyID, teamID: app.teamID,
                    environment: app.environment, endpoint: app.endpoint.flatMap(HTTP2Origin.init)))
        }
        guard let standard = apps.first else { throw ConfigurationError(key: "apns", problem: "names no app") }
        return APNsApps(
            standard, Array(apps.dropFirst()), moreBundleIDs: Set(modules.bundleIDs.map(\.bundleID)),
            allowsUnconfigured: configuration.allowsUnconfiguredApps)
    }

    private static func key(of app: GatewayConfiguration.App) throws(ConfigurationError) -> ES256PrivateKey {
        let (key, path) = ("\(app.place).keyPath", app.keyPath)
        let pem = try ConfiguredFile(key: key, path: path, expected: "the path of the .p8 file").contents()
        do {
            return try ES256PrivateKey(pem: String(decoding: pem, as: UTF8.self))
        } catch {
            throw ConfigurationError(key: key, problem: "\(path) is not a .p8 key: \(error.reason)")
        }
    }
}
