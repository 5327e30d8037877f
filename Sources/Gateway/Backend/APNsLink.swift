import APNs
import Cryptography
import DocumentStore
import Foundation
import Functions
import HTTP2Client
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
        if let caFile = configuration.caFile { try Self.checkAuthorities(caFile) }
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

    /// Checks that the CA file can be read and holds a certificate. Without this check, each connection would fail.
    private static func checkAuthorities(_ path: String) throws(ConfigurationError) {
        guard let contents = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(
                key: "apns.caFile", problem: "cannot read \(path); give the path of a PEM file of certificates")
        }
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(contents)), !certificates.isEmpty else {
            throw ConfigurationError(
                key: "apns.caFile",
                problem: "\(path) has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----")
        }
    }

    private static func key(of app: GatewayConfiguration.App) throws(ConfigurationError) -> ES256PrivateKey {
        let (key, path) = ("\(app.place).keyPath", app.keyPath)
        guard let pem = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ConfigurationError(key: key, problem: "cannot read \(path); give the path of the .p8 file")
        }
        do {
            return try ES256PrivateKey(pem: pem)
        } catch {
            throw ConfigurationError(key: key, problem: "\(path) is not a .p8 key: \(error.reason)")
        }
    }
}
