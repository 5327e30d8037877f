import DocumentStore
import Functions
import JSON
import TestDoubles
import Testing

@Suite("unregisterSubscription")
struct UnregisterTests {
    private func bench() async throws -> Bench {
        let bench = try Bench()
        for cwd in ["/srv/app", "/srv/b", "/srv/c"] {
            for phone in ["phone", "tablet"] {
                _ = try await bench.register(.register(phone, token: "\(phone)-token", cwd: cwd))
            }
        }
        _ = try await bench.register(.register("phone", secret: String(repeating: "z", count: 40)))
        return bench
    }

    private func deleted(_ count: Int64) -> FunctionResponse { .ok(["ok": true, "deleted": .integer(count)]) }

    @Test("Unregistering with a directory deletes that one device and reports the count")
    func one() async throws {
        let bench = try await bench()
        let before = try await bench.documents()
        #expect(try await bench.unregister(.unregister(cwd: "/srv/app")) == deleted(1))
        var expected = before
        expected[Bench.device("phone")] = nil
        #expect(try await bench.documents() == expected)
        #expect(try await bench.unregister(.unregister(cwd: "/srv/app")) == deleted(0))
        #expect(try await bench.documents() == expected)
    }

    @Test("Unregistering without a directory deletes the installation below every agent of the server")
    func all() async throws {
        let bench = try await bench()
        let before = try await bench.documents()
        #expect(try await bench.unregister(.unregister()) == deleted(3))
        let expected = before.filter { path, _ in
            !(path.hasPrefix(Bench.server) && path.hasSuffix("/devices/phone"))
        }
        #expect(expected.count == before.count - 3)
        #expect(try await bench.documents() == expected)
        #expect(try await bench.unregister(.unregister()) == deleted(0))
    }

    @Test("Unregistering counts devices, not agents")
    func counts() async throws {
        let bench = try await bench()
        _ = try await bench.unregister(.unregister(cwd: "/srv/b"))
        #expect(try await bench.unregister(.unregister()) == deleted(2))
    }

    @Test("A blank directory counts as absent when unregistering", arguments: ["", "  "])
    func blank(cwd: String) async throws {
        let bench = try await bench()
        #expect(try await bench.unregister(.unregister(cwd: cwd)) == deleted(3))
    }

    @Test("Unregistering an unknown server, agent or installation succeeds and creates nothing")
    func unknown() async throws {
        let bench = try await bench()
        let before = try await bench.documents()
        let stranger = String(repeating: "q", count: 40)
        #expect(try await bench.unregister(.unregister(secret: stranger)) == deleted(0))
        #expect(try await bench.unregister(.unregister(cwd: "/srv/app", secret: stranger)) == deleted(0))
        #expect(try await bench.unregister(.unregister(cwd: "/none")) == deleted(0))
        #expect(try await bench.unregister(.unregister("none")) == deleted(0))
        #expect(try await bench.documents() == before)
    }

    @Test("Unregistering covers more agents than one lookup")
    func many() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        var writes: [Write] = []
        for number in 0..<1_100 {
            let agent = try DocumentPath("\(Bench.server)/agents/a\(number)")
            writes.append(.set(agent, ["cwd": "/x", "updatedAt": bench.now]))
            guard number.isMultiple(of: 2) else { continue }
            writes.append(.set(try agent.collection("devices").document("phone"), ["fcmToken": "t"]))
        }
        _ = try await bench.disk.documents.commit(writes)
        #expect(try await bench.unregister(.unregister()) == deleted(551))
        #expect(try await bench.documents().keys.allSatisfy { !$0.hasSuffix("/devices/phone") })
    }
}
