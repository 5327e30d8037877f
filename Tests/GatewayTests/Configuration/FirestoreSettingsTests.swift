import DocumentStore
import IPAddresses
import Server
import Settings
import Testing

@testable import Gateway

@Suite("Settings of Firestore's interface")
struct FirestoreSettingsTests {
    private func read(_ flags: [String: String]) async throws -> GatewayConfiguration {
        try await GatewayConfiguration.read(flags: flags, environment: [:], file: nil)
    }

    private static let relay = ["fcm.relay.serviceAccount": "/etc/pushgate/service-account.json"]

    @Test("Without a setting, Firestore's interface is served in emulator mode only")
    func standard() async throws {
        #expect(try await read([:]).servesFirestore)
        #expect(try await read(Self.relay).servesFirestore == false)
    }

    @Test("A setting switches Firestore's interface on and off in both modes")
    func enabled() async throws {
        #expect(try await read(["firestore.enabled": "false"]).servesFirestore == false)
        #expect(try await read(Self.relay.merging(["firestore.enabled": "true"]) { $1 }).servesFirestore)
    }

    @Test("Peers are read as addresses and ranges, and there are none by default")
    func peers() async throws {
        let peers = try await read(["firestore.allowedPeers": "172.16.0.0/12, ::1"]).firestore.allowedPeers
        let address = try #require(IPAddress("172.18.0.5"))
        #expect(peers.count == 2 && peers.contains { $0.contains(address) })
        #expect(try await read([:]).firestore.allowedPeers.isEmpty)
    }

    @Test("Listed origins replace loopback's, which are the default")
    func origins() async throws {
        let (local, app) = (try #require(WebOrigin("http://localhost:3000")), "https://app.example.com")
        func covers(_ list: String?, _ origin: WebOrigin) async throws -> Bool {
            try await read(list.map { ["firestore.allowedOrigins": $0] } ?? [:]).firestore.allowedOrigins
                .contains { $0.covers(origin) }
        }
        #expect(try await covers(nil, local))
        #expect(try await covers(app, local) == false)
        #expect(try await covers("\(app), loopback", local))
        #expect(try await covers(app, try #require(WebOrigin(app))))
        #expect(try await covers(app, try #require(WebOrigin("http://app.example.com"))) == false)
    }

    @Test("Automatic indexes are for the named databases, or for all but the gateway's own")
    func automaticIndexes() async throws {
        func covered(_ list: String) async throws -> [DatabaseID] {
            let entries = try await read(["firestore.automaticIndexes": list]).firestore.automaticIndexes
            let databases = [
                DatabaseID(project: "demo-app"), DatabaseID(project: "demo-app", database: "orders"), .gateway,
            ]
            return databases.filter { database in entries.contains { $0.covers(database) } }
        }
        #expect(try await covered("demo-app") == [DatabaseID(project: "demo-app")])
        #expect(try await covered("demo-app/orders") == [DatabaseID(project: "demo-app", database: "orders")])
        #expect(try await covered("*").count == 2)
        #expect(try await read([:]).firestore.automaticIndexes.isEmpty)
    }

    @Test(
        "A value that cannot be used stops the start with an error that names its key",
        arguments: [
            ("firestore.enabled", "perhaps"), ("firestore.allowedPeers", "everyone"),
            ("firestore.allowedOrigins", "app.example.com"), ("firestore.allowedOrigins", "*"),
            ("firestore.indexWarnings", "2"), ("firestore.indexes", "users"), ("firestore.indexes", "users/"),
            ("firestore.indexes", "users/a..b"), ("firestore.indexes", "users/__name__"),
            ("firestore.automaticIndexes", "pushgate"), ("firestore.automaticIndexes", "a/b/c"),
            ("firestore.automaticIndexes", "demo-app/"),
        ])
    func mistakes(key: String, value: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read([key: value]) }
        #expect(error?.key == key)
    }
}
