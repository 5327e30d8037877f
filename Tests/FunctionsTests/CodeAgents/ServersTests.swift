import Cryptography
import DocumentStore
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("CodeAgents: the operator's list of servers")
struct ServersTests {
    private static let other = String(repeating: "z", count: 40)
    private static let otherKey = SHA256.hexadecimal(of: other)
    private static let refusal = "server_not_allowed"

    private static let key = String(Bench.server.split(separator: "/")[1])

    @Test("With open servers a denied server loses its devices, and may neither register nor trigger until allowed")
    func denied() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.register(.register("tablet", cwd: "/srv/b"))
            _ = try await bench.register(.register(secret: Self.other))
            #expect(try await bench.trigger().body["attempted"] == 1)
            #expect(try await bench.module.setAccess(.denied, of: Self.key, name: "spam") == 2)
            for response in [try await bench.register(), try await bench.trigger()] {
                #expect(response.status == .forbidden && response.body["error"] == .string(Self.refusal))
            }
            #expect(try await bench.trigger(.trigger(secret: Self.other)).body["attempted"] == 1)
            #expect(try await bench.unregister(.unregister()).body["deleted"] == 0)
            #expect(try await bench.module.setAccess(.allowed, of: Self.key, name: nil) == 0)
            #expect(try await bench.register().status == .ok)
            #expect(try await bench.trigger().body["attempted"] == 1)
            #expect(try await bench.document(Bench.server)?["name"] == "spam")
        }
    }

    @Test("With listed servers only allowed ones may register and trigger, and an unknown one does not become known")
    func listed() async throws {
        let bench = try Bench { $0.servers = .listed }
        try await bench.running {
            for response in [try await bench.register(), try await bench.trigger()] {
                #expect(response.body["error"] == .string(Self.refusal))
                #expect(response.body["message"]?.string?.contains("pushgate servers allow") == true)
            }
            #expect(try await bench.documents().isEmpty)
            #expect(try await bench.module.setAccess(.allowed, of: Self.key, name: "build server") == 0)
            #expect(try await bench.trigger().body["reason"] == "unknown_server")
            #expect(try await bench.register().status == .ok)
            #expect(try await bench.trigger().body["attempted"] == 1)
            #expect(try await bench.trigger(.trigger(secret: Self.other)).status == .forbidden)
            let server = try #require(try await bench.document(Bench.server))
            #expect(server["createdAt"] != nil && server["name"] == "build server")
        }
    }

    @Test("The list has the time of a trigger that is not stored, which the operator's decision stores")
    func lastSeen() async throws {
        let bench = try Bench()
        func seen() async throws -> Timestamp? {
            try await bench.module.servers(after: nil, limit: 10).first { $0.key == Self.key }?.lastSeenAt
        }
        _ = try await bench.register()
        let registered = bench.now
        bench.clock.advance(by: .seconds(600))
        try await bench.running { _ = try await bench.trigger() }
        #expect(try await seen() == bench.clock.timestamp)
        #expect(try await bench.document(Bench.server)?["lastSeenAt"] == registered)
        _ = try await bench.module.setAccess(.allowed, of: Self.key, name: nil)
        #expect(try await bench.document(Bench.server)?["lastSeenAt"] == bench.now)
        // A later time that is stored stays.
        bench.clock.advance(by: .seconds(600))
        _ = try await bench.register()
        _ = try await bench.module.setAccess(.denied, of: Self.key, name: nil)
        #expect(try await seen() == bench.clock.timestamp)
        #expect(try await bench.document(Bench.server)?["lastSeenAt"] == bench.now)
    }

    @Test("A decision about a server whose document has gone since its last trigger does not make it a registered one")
    func goneServer() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        bench.clock.advance(by: .seconds(600))
        try await bench.running { _ = try await bench.trigger() }
        _ = try await bench.unregister(.unregister())
        _ = try await bench.disk.documents.commit([.delete(try DocumentPath(Bench.server))])
        _ = try await bench.module.setAccess(.allowed, of: Self.key, name: nil)
        #expect(try await bench.document(Bench.server) == ["access": "allowed"])
        #expect(try await bench.module.servers(after: nil, limit: 10).map(\.lastSeenAt) == [nil])
        #expect(try await bench.trigger().body["reason"] == "unknown_server")
    }

    @Test("Servers are listed page by page with the decisions, and the clean-up keeps these")
    func list() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        _ = try await bench.module.setAccess(.denied, of: Self.otherKey, name: nil)
        let all = try await bench.module.servers(after: nil, limit: 10)
        #expect(all.map(\.key) == [Self.key, Self.otherKey].sorted())
        #expect(all.first { $0.key == Self.otherKey }?.access == .denied)
        #expect(all.first { $0.key == Self.key }?.lastSeenAt == bench.clock.timestamp)
        let first = try await bench.module.servers(after: nil, limit: 1)
        let second = try await bench.module.servers(after: first[0].key, limit: 1)
        #expect((first + second).map(\.key) == all.map(\.key))
        #expect(try await bench.module.servers(after: second[0].key, limit: 1).isEmpty)
        _ = try await bench.module.setAccess(.allowed, of: Self.key, name: nil)
        bench.clock.advance(by: .seconds(100 * 86_400))
        try await bench.module.jobs.first { $0.name == "codeagents-clean-up" }?.run()
        #expect(try await bench.module.servers(after: nil, limit: 10).map(\.key) == all.map(\.key))
    }
}
