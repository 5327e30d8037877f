import APNsSimulator
import Foundation
import HTTPClient
import Logging
import ServiceLifecycle
import Testing

@Suite("Life cycle of the simulator", .timeLimit(.minutes(10)))
struct LifeTests {
    @Test("A second start of the simulator returns the same addresses, and one after a shutdown throws an error")
    func startTwice() async throws {
        let simulator = APNsSimulator()
        let addresses = try await simulator.start()
        #expect(try await simulator.start() == addresses)
        await simulator.shutdown()
        await simulator.shutdown()
        await #expect(throws: APNsSimulatorError.self) { try await simulator.start() }
    }

    @Test("A simulator in a service group serves until the group shuts down")
    func serviceGroup() async throws {
        let simulator = APNsSimulator()
        let addresses = try await simulator.start()
        let group = ServiceGroup(services: [simulator], logger: Logger(label: "test"))
        async let running: Void = group.run()
        await group.triggerGracefulShutdown()
        try await running
        #expect(!FileManager.default.fileExists(atPath: addresses.certificateAuthorityPath))
    }

    @Test("The simulator's temporary folder is private, and is deleted at the shutdown")
    func temporaryFolder() async throws {
        let simulator = APNsSimulator()
        let addresses = try await simulator.start()
        let key = try #require(addresses.providerKeyPath)
        let folder = URL(fileURLWithPath: key).deletingLastPathComponent().path
        #expect(try mode(of: folder) == 0o700)
        #expect(try mode(of: key) == 0o600)
        #expect(!FileManager.default.fileExists(atPath: folder + "/ca.key"), "nobody needs it again")
        await simulator.shutdown()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// The files of a simulator that has run in a folder.
    private struct Files: Equatable {
        let providerKey: String
        let authority: String
    }

    /// Starts a simulator in a folder, and shuts it down.
    private func run(in folder: String) async throws -> Files {
        var configuration = APNsSimulatorConfiguration()
        configuration.directory = folder
        let simulator = APNsSimulator(configuration: configuration)
        let addresses = try await simulator.start()
        let files = Files(
            providerKey: try String(contentsOfFile: #require(addresses.providerKeyPath), encoding: .utf8),
            authority: try String(contentsOfFile: addresses.certificateAuthorityPath, encoding: .utf8))
        await simulator.shutdown()
        return files
    }

    @Test("A simulator with a folder of its own keeps its provider key and its CA, so that senders trust it again")
    func keptKeys() async throws {
        let folder = NSTemporaryDirectory() + "apns-simulator-test-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try await run(in: folder)
        #expect(try mode(of: folder + "/ca.key") == 0o600)
        #expect(try await run(in: folder) == first)
    }

    @Test("A simulator whose CA lacks its key, or has another one, makes a new CA", arguments: [nil, "no key"])
    func lostKey(key: String?) async throws {
        let folder = NSTemporaryDirectory() + "apns-simulator-test-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try await run(in: folder)
        try FileManager.default.removeItem(atPath: folder + "/ca.key")
        try key?.write(toFile: folder + "/ca.key", atomically: true, encoding: .utf8)
        let second = try await run(in: folder)
        #expect(second.authority != first.authority)
        #expect(second.providerKey == first.providerKey)
        #expect(try await run(in: folder) == second)
    }

    @Test("A simulator whose port is taken throws an error with its number, and leaves no file behind")
    func portTaken() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let port = try #require(URL(string: fixture.addresses.control)?.port)
            for key in [\APNsSimulatorConfiguration.port, \.controlPort] {
                var configuration = APNsSimulatorConfiguration()
                configuration[keyPath: key] = port
                let simulator = APNsSimulator(configuration: configuration)
                let error = await #expect(throws: APNsSimulatorError.self) { try await simulator.start() }
                #expect(error?.description.contains("127.0.0.1:\(port)") == true)
            }
        }
    }

    @Test("A wait for notifications that times out throws an error with the number received")
    func waitInVain() async throws {
        let simulator = APNsSimulator()
        let error = await #expect(throws: APNsSimulatorError.self) {
            try await simulator.wait(for: 1, timeout: .milliseconds(20))
        }
        #expect(error?.description == "waited 0.02 s for 1 notifications and received 0")
    }

    @Test("The simulator's banner has a gateway's settings, and says if signatures are not checked")
    func banner() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let banner = fixture.addresses.banner
            #expect(banner.contains("  export PUSHGATE_APNS_ENDPOINT=\(fixture.addresses.apns)\n"))
            #expect(banner.contains("  export PUSHGATE_APNS_CA_FILE=\(fixture.addresses.certificateAuthorityPath)\n"))
            #expect(banner.contains("  export PUSHGATE_APNS_KEY_ID=SIMULATOR1\n"))
            #expect(banner.hasSuffix("  export PUSHGATE_APNS_TEAM_ID=SIMULATEAM"))
            #expect(fixture.addresses.checksSignatures)
            #expect(!banner.contains("no key to check"))
        }
        var configuration = APNsSimulatorConfiguration()
        configuration.makesProviderKey = false
        let simulator = APNsSimulator(configuration: configuration)
        let addresses = try await simulator.start()
        #expect(addresses.providerKeyPath == nil)
        #expect(!addresses.checksSignatures)
        #expect(addresses.banner.contains("no key to check"))
        await simulator.shutdown()
    }
}
