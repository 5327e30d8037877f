internal import DocumentStore
internal import FCMRelay
internal import Foundation
internal import HTTPTransport
internal import Logging

/// The gateway's way to Google's FCM: a transport, and the client it sends with.
struct RelayLink: Sendable {
    let transport: FCMRelayTransport
    let client: HTTPClient

    init(_ configuration: GatewayConfiguration.Relay, _ logger: Logger) throws(ConfigurationError) {
        client = HTTPClient(configuration: HTTPClient.Configuration(), logger: logger)
        transport = FCMRelayTransport(
            account: try Self.account(configuration), endpoint: configuration.endpoint, client: client,
            now: { Timestamp.now.seconds }, logger: logger)
    }

    /// For people.
    var description: String { transport.description }

    func shutdown() async { await client.shutdown() }

    /// Reads the account's file.
    static func account(_ configuration: GatewayConfiguration.Relay) throws(ConfigurationError) -> ServiceAccount {
        let (key, path) = ("fcm.relay.serviceAccount", configuration.serviceAccountPath)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(
                key: key, problem: "cannot read \(path); give the path of a service account's JSON file")
        }
        do {
            return try ServiceAccount(json: Array(data))
        } catch {
            throw ConfigurationError(key: key, problem: "\(path) is no service account's file: \(error.reason)")
        }
    }
}
