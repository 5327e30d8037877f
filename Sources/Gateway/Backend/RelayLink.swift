import DocumentStore
import FCMRelay
import Foundation
import HTTPTransport
import Instance
import Logging
import Settings

/// The gateway's connection to Google's FCM: a transport, and the HTTP client that it sends with.
struct RelayLink: Sendable {
    let transport: FCMRelayTransport
    let client: HTTPClient

    init(_ configuration: GatewayConfiguration.Relay, _ logger: Logger) throws(ConfigurationError) {
        client = HTTPClient(configuration: HTTPClient.Configuration(), logger: logger)
        transport = FCMRelayTransport(
            account: try Self.account(configuration), endpoint: configuration.endpoint, client: client,
            now: { Timestamp.now.seconds }, logger: logger)
    }

    /// A description of the transport, for logs and the start banner.
    var description: String { transport.description }

    func shutdown() async { await client.shutdown() }

    /// Reads the service account's file.
    static func account(_ configuration: GatewayConfiguration.Relay) throws(ConfigurationError) -> ServiceAccount {
        let (key, path) = ("fcm.relay.serviceAccount", configuration.serviceAccountPath)
        let file = ConfiguredFile(key: key, path: path, expected: "the path of a service account's JSON file")
        let json = try file.contents()
        do {
            return try ServiceAccount(json: json)
        } catch {
            throw ConfigurationError(key: key, problem: "\(path) is not a service account's file: \(error.reason)")
        }
    }
}
