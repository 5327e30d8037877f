import DocumentStore
import Foundation
import HTTPTypes
import JSON
import PostgreSQLStore
import TestBasics
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("A gateway on PostgreSQL", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct PostgreSQLStoreTests {
    @Test("What one gateway has accepted is there for the next, with another data directory and the same secrets")
    func succession() async throws {
        let url = try await TestStore.emptyDatabase()
        let secret = String.randomSecret()
        let (first, token) = try await withGateway(["store.url": url]) { gateway in
            let daemon = Daemon(gateway.caller, secret: secret)
            try await daemon.register("phone", token: "emulated:phone")
            #expect(try await daemon.trigger().body["sent"] == 1)
            #expect(!FileManager.default.fileExists(atPath: gateway.directory + "/pushgate.sqlite"))
            return (gateway.gateway.storage.key.accessTokens, gateway.gateway.adminToken)
        }
        try await withGateway(["store.url": url]) { gateway async throws in
            #expect(gateway.gateway.storage.key.accessTokens == first && gateway.gateway.adminToken == token)
            #expect(!gateway.gateway.isAdminTokenNew)
            #expect(try await Daemon(gateway.caller, secret: secret).trigger().body["sent"] == 1)
        }
    }

    @Test("A data directory with another key than the database is refused with the file's name, and keeps it")
    func otherKey() async throws {
        let url = try await TestStore.emptyDatabase()
        try await withGateway(["store.url": url]) { _ in }
        try await withDataDirectory { directory in
            let key = "A" + String(repeating: "B", count: 42)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try "\(key)\n".write(toFile: directory + "/gateway-key", atomically: true, encoding: .utf8)
            let error = await #expect(throws: GatewayError.self) {
                try await withGateway(["store.url": url], in: directory) { _ in }
            }
            #expect(error?.description.contains("gateway-key is not that of the database") == true)
            #expect(try String(contentsOfFile: directory + "/gateway-key", encoding: .utf8) == key + "\n")
        }
    }

    @Test("Requests are answered 503 while the database refuses connections, and 200 again by themselves")
    func absence() async throws {
        let url = try await TestStore.emptyDatabase()
        let name = try #require(url.firstMatch(of: /application_name=(\w+)/)?.1)
        try PostgreSQLEngine.run("CREATE ROLE \(name) LOGIN; GRANT ALL ON SCHEMA \(name) TO \(name)", at: url)
        let own = url.replacing("user=postgres", with: "user=\(name)")
        try await withGateway(["store.url": own]) { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            #expect(try await gateway.caller.send(.get, "/readyz").status == 200)
            try PostgreSQLEngine.run(
                """
                ALTER ROLE \(name) NOLOGIN; SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE usename = '\(name)'
                """, at: url)
            #expect(try await daemon.trigger().status == 503)
            try await eventually("the gateway is not ready") {
                try await gateway.caller.send(.get, "/readyz").status == 503
            }
            try PostgreSQLEngine.run("ALTER ROLE \(name) LOGIN", at: url)
            try await eventually("a trigger succeeds") { () async throws in
                try await daemon.trigger().body["sent"] == 1
            }
            try await eventually("the gateway is ready") {
                try await gateway.caller.send(.get, "/readyz").status == 200
            }
        }
    }

    @Test("Backups are the database's own, and a database that cannot be used stops the start with the reason")
    func refusals() async throws {
        let url = try await TestStore.emptyDatabase()
        try await withGateway(["store.url": url]) { gateway in
            let answer = try await gateway.ask("/v1/backups", .post)
            #expect(answer.status == 400 && answer.text.contains("pg_dump"), "\(answer.text)")
        }
        await #expect(throws: (any Error).self) {
            try await withGateway(["store.url": url, "backups.keep": "3"]) { _ in }
        }
        let error = await #expect(throws: GatewayError.self) {
            try await withGateway(["store.url": "postgres://nobody@127.0.0.1:1/none"]) { _ in }
        }
        #expect(error?.description.contains("cannot use the database of store.url") == true)
    }
}
