import APNsSimulator
import Cryptography
import DocumentStore
import HTTP2Client
import TestDoubles
import Testing

@testable import APNs
@testable import Messaging

@Suite("Connections and keys", .timeLimit(.minutes(10)))
struct KeyConnectionTests {
    @Test("Notifications of two keys never share a connection, and those of one key do")
    func keys() async throws {
        var configuration = APNsSimulatorConfiguration()
        configuration.makesProviderKey = false
        let simulator = APNsSimulator(configuration: configuration)
        let addresses = try await simulator.start()
        var client = HTTP2Client.Configuration()
        client.caFile = addresses.certificateAuthorityPath
        func app(_ name: String, _ key: ES256PrivateKey, _ keyID: String) -> APNsApp {
            APNsApp(
                bundleID: "com.example.\(name)", key: key, keyID: keyID, teamID: "DEF123GHIJ",
                endpoint: HTTP2Origin(addresses.apns))
        }
        let (first, second) = (try ES256PrivateKey.generate(), try ES256PrivateKey.generate())
        let apps = APNsApps(
            app("a", first, "ABC123DEFG"),
            [app("b", first, "ABC123DEFG"), app("c", second, "XYZ789HIJK"), app("d", second, "ABC123DEFG")])
        let transport = APNsTransport(
            apps: apps, client: HTTP2Client(configuration: client, logger: .silent), window: 100,
            now: { Timestamp.now.seconds }, logger: .silent)
        for name in ["a", "b", "c", "d", "a", "c"] {
            let lane = Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.\(name)", environment: .sandbox))
            let message = OutgoingMessage(
                message: Message(data: ["k": "v"]), lane: lane, expiration: Timestamp.now.seconds + 3_600)
            #expect(await transport.prepare(message).send(notification(to: token(1), 0)) == .accepted)
        }
        #expect(simulator.received().map(\.connection) == [1, 1, 2, 3, 1, 2])
        await simulator.shutdown()
    }
}
