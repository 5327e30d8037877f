import APNsSimulator
import Foundation
import HTTPClient
import HTTPTypes
import JSON
import Logging
import TestBasics
import Testing

/// The code of the pages about the simulator as a library, which readers copy.
@Suite("Examples of the simulator's pages", .timeLimit(.minutes(10)))
struct ExampleTests {
    @Test(
        "Each example of the simulator's pages is in this file",
        arguments: [
            "Sources/APNsSimulator/APNsSimulator.docc/APNsSimulator.md", "docs/simulator.md",
            "Sources/APNsSimulator/Script/ConnectionScript.swift",
        ])
    func areHere(page: String) throws {
        let examples = try DocumentedExample.all(in: page)
        #expect(!examples.isEmpty)
        #expect(try examples.filter { try !$0.isPart(of: #filePath) }.map(\.description) == [])
    }

    @Test("The example of the simulator's reference waits for a refused and an accepted notification")
    func reference() async throws {
        let simulator = APNsSimulator()
        let addresses = try await simulator.start()

        // `Notifier` stands for the program under test. It sends to addresses.apns, trusts the CA in
        // addresses.certificateAuthorityPath, and signs with the key in addresses.providerKeyPath.
        var notifier = try Notifier(addresses, devices: ["a1b2", "c3d4"])
        simulator.script(token: "a1b2", answers: [.rejecting(.unregistered)])
        try await notifier.notify("The build has finished.")

        let received = try await simulator.wait(for: 2)
        await simulator.shutdown()

        #expect(received.map(\.status) == [410, 200])
        #expect(notifier.devices == ["c3d4"])
    }

    @Test("A connected phone shows the card that a notification starts")
    func phone() async throws {
        let simulator = APNsSimulator()
        let addresses = try await simulator.start()
        var notifier = try Notifier(addresses, devices: ["a1b2"])

        let phone = SimulatedPhone(bundleID: "com.example.app", pushToStartToken: "a1b2")
        simulator.connect(phone)

        // An alert starts no card.
        try await notifier.notify("The build has finished.")
        #expect(phone.cards.isEmpty && simulator.counters.accepted == 1)
        await simulator.shutdown()
    }

    @Test("A device that has removed the app gets no second notification")
    func removedApp() async throws {
        let simulator = APNsSimulator()
        let addresses = try await simulator.start()

        // Sends to addresses.apns, trusts the CA in addresses.certificateAuthorityPath, and signs its provider tokens
        // with the key in addresses.providerKeyPath.
        var notifier = try Notifier(addresses, devices: ["a1b2", "c3d4"])

        simulator.script(token: "a1b2", answers: [.rejecting(.unregistered)])
        try await notifier.notify("The build has finished.")
        try await notifier.notify("The tests have passed.")

        let received = try await simulator.wait(for: 3)
        #expect(received.map(\.token) == ["a1b2", "c3d4", "c3d4"])
        #expect(received.map(\.status) == [410, 200, 200])
        #expect(simulator.counters.duplicates == 0)
        await simulator.shutdown()
    }

    @Test("The example of a script for connections ends two connections, and no third one")
    func connections() async throws {
        let simulator = APNsSimulator()
        var notifier = try Notifier(try await simulator.start(), devices: ["a1b2"])

        var script = ConnectionScript(count: 2)
        script.goAway = ScriptedGoAway(afterRequests: 1)
        simulator.script(connections: [script])

        for _ in 1...3 { try await notifier.notify("The build has finished.") }
        #expect(simulator.counters.goAwaysSent == 2)
        #expect(simulator.counters.accepted == 3)
        await simulator.shutdown()
    }
}

/// A program that sends to APNs, as small as one can be: it forgets a device after a 410.
private struct Notifier {
    private(set) var devices: [String]
    private let endpoint: String
    private let caFile: String
    private let key: SigningKey

    init(_ addresses: APNsSimulatorAddresses, devices: [String]) throws {
        self.devices = devices
        endpoint = addresses.apns
        caFile = addresses.certificateAuthorityPath
        key = try SigningKey(of: addresses)
    }

    mutating func notify(_ text: String) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.caFile = caFile
        let client = HTTPClient(configuration: configuration, logger: Logger(label: "notifier"))
        let now = JSONValue.integer(Int64(Date().timeIntervalSince1970))
        let payload: JSONValue = ["aps": ["alert": .string(text)]]
        let headers = [
            "authorization": try key.authorization(issuedAt: now), "apns-topic": "com.example.app",
            "apns-push-type": "alert",
        ]
        var fields = HTTPFields()
        for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
        for device in devices {
            let response = try await client.execute(
                HTTPClientRequest(
                    method: .post, url: "\(endpoint)/3/device/\(device)", headerFields: fields,
                    body: payload.serialized))
            if response.statusCode == 410 { devices.removeAll { $0 == device } }
        }
        await client.shutdown()
    }
}
