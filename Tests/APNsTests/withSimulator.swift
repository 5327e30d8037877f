import APNsSimulator
import Cryptography
import DocumentStore
import Foundation
import HTTP2Client
import TestDoubles
import Testing

@testable import APNs
@testable import Messaging

/// Runs a simulator and a transport that sends to it for the duration of the body.
func withSimulator(
    deadline: Duration = .seconds(20), connections: [ConnectionScript] = [],
    _ body: (APNsSimulator, APNsTransport) async throws -> Void
) async throws {
    var simulatorConfiguration = APNsSimulatorConfiguration()
    simulatorConfiguration.connections = connections
    simulatorConfiguration.rules.isStrict = true
    let simulator = APNsSimulator(configuration: simulatorConfiguration)
    let addresses = try await simulator.start()
    var configuration = HTTP2Client.Configuration()
    configuration.caFile = addresses.certificateAuthorityPath
    let client = HTTP2Client(configuration: configuration, logger: .silent)
    let keyPath = try #require(addresses.providerKeyPath)
    let transport = try apnsTransport(
        endpoint: addresses.apns, client: client, deadline: deadline,
        key: ES256PrivateKey(pem: String(contentsOfFile: keyPath, encoding: .utf8)),
        keyID: addresses.providerKeyID, teamID: addresses.providerTeamID)
    do {
        try await body(simulator, transport)
    } catch {
        await client.shutdown(within: .zero)
        await simulator.shutdown()
        throw error
    }
    await client.shutdown(within: .zero)
    await simulator.shutdown()
}

func apnsTransport(
    endpoint: String, client: HTTP2Client, deadline: Duration, key: ES256PrivateKey? = nil, keyID: String? = nil,
    teamID: String? = nil
) throws -> APNsTransport {
    let app = APNsApp(
        bundleID: "com.example.app", key: try key ?? ES256PrivateKey.generate(), keyID: keyID ?? "KEY",
        teamID: teamID ?? "TEAM", endpoint: HTTP2Origin(endpoint))
    return APNsTransport(
        apps: APNsApps(app), client: client, deadline: deadline, window: 400, now: { Timestamp.now.seconds },
        logger: .silent)
}

func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
}

func outgoing(_ message: Message) -> OutgoingMessage {
    OutgoingMessage(message: message, lane: Lane(transport: .apns), expiration: Timestamp.now.seconds + 3_600)
}

func notification(to token: String, _ index: Int) -> OutgoingNotification {
    OutgoingNotification(
        id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: index),
        target: Target(address: PushAddress(token: token), registration: nil))
}

extension APNsTransport {
    func send(_ message: Message, to token: String) async -> Outcome {
        await prepare(outgoing(message)).send(notification(to: token, 0))
    }
}
