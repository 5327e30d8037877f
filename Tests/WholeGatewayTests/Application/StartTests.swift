import APNsSimulator
import Foundation
import Gateway
import Instance
import Settings
import TestDoubles
import TestSupport
import Testing

@Suite("Start of the gateway", .timeLimit(.minutes(10)))
struct StartTests {
    @Test("A start on a port that is taken throws an error that names the port and the setting")
    func portTaken() async throws {
        try await withGateway { first in
            let error = await #expect(throws: GatewayError.self) {
                try await withGateway(["http.port": String(first.port)]) { _ in }
            }
            #expect(error?.description.contains("port \(first.port) on 127.0.0.1 is in use") == true)
            #expect(error?.description.contains("http.port") == true)
        }
    }

    @Test(
        "A start that fails removes the data directory that it made, and leaves one that was there",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func directory() async throws {
        try await withTemporaryDirectory { parent in
            let key = [
                "apns.keyPath": parent + "/missing.p8", "apns.keyId": "ABC123DEFG", "apns.teamId": "DEF123GHIJ",
                "apns.bundleId": "com.example",
            ]
            let made = parent + "/data"
            func failingStart() async {
                await #expect(throws: ConfigurationError.self) {
                    try await withGateway(key.merging(["data.directory": made]) { $1 }) { _ in }
                }
            }
            await failingStart()
            #expect(!FileManager.default.fileExists(atPath: made))
            try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: false)
            await failingStart()
            #expect(FileManager.default.fileExists(atPath: made + "/admin-token"))
        }
    }

    @Test(
        "A start whose HTTPS port is taken removes the data directory that it made, and has nothing on disk",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func httpsPortTaken() async throws {
        try await withTemporaryDirectory { parent in
            try await withGateway { first in
                let log = CollectedLog()
                let settings = try TLSFiles(in: parent).settings.merging([
                    "http.tls.port": String(first.port), "data.directory": parent + "/data",
                ]) { $1 }
                let error = await #expect(throws: GatewayError.self) {
                    try await withGateway(settings, log: log) { _ = await $0.gateway.listening() }
                }
                #expect(error?.description.contains("port \(first.port) on 127.0.0.1 is in use") == true)
                #expect(!FileManager.default.fileExists(atPath: parent + "/data"))
                #expect(!log.lines.contains { $0.contains("everything accepted is on disk") }, "\(log.lines)")
            }
        }
    }

    @Test("A start with a missing or invalid key file throws an error that names the setting and not the key")
    func badKey() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/AuthKey.p8"
            let text = "-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5\n-----END PRIVATE KEY-----\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            for keyPath in [path, directory + "/missing.p8"] {
                let settings = [
                    "apns.keyPath": keyPath, "apns.keyId": "ABC123DEFG", "apns.teamId": "DEF123GHIJ",
                    "apns.bundleId": "com.example",
                ]
                let error = await #expect(throws: ConfigurationError.self) { try await withGateway(settings) { _ in } }
                #expect(error?.key == "apns.keyPath")
                #expect(error?.problem.contains(keyPath) == true)
                #expect(error?.description.contains("bm90IGEga2V5") == false)
            }
        }
    }

    @Test("A start with a missing or empty CA file throws an error that names the setting and the file")
    func badAuthorities() async throws {
        try await withSimulator { apns in
            try await withTemporaryDirectory { directory in
                let (key, empty) = (apns.addresses.providerKeyPath ?? "", directory + "/empty.pem")
                try Data().write(to: URL(fileURLWithPath: empty))
                for path in [directory + "/missing.pem", directory, empty, key] {
                    let error = await #expect(throws: ConfigurationError.self) {
                        try await withGateway(["apns.caFile": path], simulator: apns) { _ in }
                    }
                    #expect(error?.key == "apns.caFile")
                    #expect(error?.problem.contains(path) == true && error?.problem.contains("PEM") == true)
                }
            }
        }
    }

    @Test(
        "A start on an unknown host or another machine's address throws an error that names host and setting",
        arguments: [String(repeating: "a", count: 64), "192.0.2.1"])
    func badHost(host: String) async throws {
        let error = await #expect(throws: GatewayError.self) { try await withGateway(["http.host": host]) { _ in } }
        #expect(error?.description.hasPrefix("http.host: ") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains(host) == true)
    }

    @Test("The description of the transport names the inbox, or Apple's address and the app")
    func transport() async throws {
        try await withGateway { gateway in
            #expect(gateway.gateway.transportDescription.contains("inbox"))
        }
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                #expect(gateway.gateway.transportDescription.contains(apns.addresses.apns))
                #expect(gateway.gateway.transportDescription.contains(RunningSimulator.bundleID))
            }
        }
    }

    @Test("A start and stop without faults log no error and no warning")
    func quiet() async throws {
        let log = CollectedLog()
        _ = try await withGateway(log: log) { gateway in
            try await Daemon(gateway.caller).register("phone", token: "emulated:1")
        }
        #expect(!log.lines.isEmpty)
        #expect(log.lines.filter { $0.hasPrefix("error") || $0.hasPrefix("warning") } == [])
    }
}
