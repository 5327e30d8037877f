import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Removing registrations of unregistered tokens")
struct PruningTests {
    /// Sends to one device whose token is unregistered. Returns `true` if its registration was removed.
    private func isPruned(
        deadSince: Duration?, token: String = "dead", meanwhile: (Bench) async throws -> Void = { _ in }
    ) async throws -> Bool {
        let time = deadSince.map { ManualClock.start.adding(.seconds(1_000)).adding($0) }
        let gate = Gate()
        let bench = try Bench(
            ScriptedTransport { _ in
                await gate.pass()
                return .dead(since: time)
            })
        bench.clock.advance(by: .seconds(1_000))
        let target = try await bench.register("phone", token: token)
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample([target]))
            try await eventually("the notification is in flight") { gate.waiting == 1 }
            try await meanwhile(bench)
            gate.open()
            try await bench.settled(delivery)
            try await eventually("the outcome is counted") { delivery.progress.pending == 0 }
            #expect(delivery.progress.errors == [.registrationTokenNotRegistered: 1])
            #expect(try await bench.exists(target) == (delivery.progress.pruned == 0))
            let isLogged = bench.log.lines.contains { $0.contains("removed registrations whose tokens are no longer") }
            #expect(isLogged == (delivery.progress.pruned == 1))
            let isKept = bench.log.lines.contains { $0.contains("kept a registration; it was renewed after") }
            let isStillSent = try await isStillSent(bench, token)
            #expect(isKept == isStillSent)
        }
        return try await !bench.exists(target)
    }

    /// Returns `true` if there is still a registration with the token that was sent to.
    private func isStillSent(_ bench: Bench, _ token: String) async throws -> Bool {
        let document = try await bench.disk.documents.document(at: DocumentPath("devices/phone"))
        return document?["token"]?.string.map { Array($0.utf8) == Array(token.utf8) } ?? false
    }

    @Test("A token that is unregistered without a timestamp loses its registration")
    func withoutTime() async throws {
        #expect(try await isPruned(deadSince: nil))
    }

    @Test(
        "A registration is removed only if it is no younger than its token's unregistration",
        arguments: [(-1, false), (0, true), (1, true)])
    func times(seconds: Int, expected: Bool) async throws {
        #expect(try await isPruned(deadSince: .seconds(seconds)) == expected)
    }

    @Test("A registration that has a newer token stays")
    func rotated() async throws {
        let pruned = try await isPruned(deadSince: nil) { bench in
            _ = try await bench.register("phone", token: "fresh")
        }
        #expect(!pruned)
    }

    @Test("A registration whose newer token differs only in bytes stays")
    func lookAlike() async throws {
        let pruned = try await isPruned(deadSince: nil, token: "token-é") { bench in
            _ = try await bench.register("phone", token: "token-e\u{301}")
        }
        #expect(!pruned)
    }

    @Test("A registration renewed with the same token after its unregistration stays")
    func renewed() async throws {
        let pruned = try await isPruned(deadSince: .seconds(1)) { bench in
            bench.clock.advance(by: .seconds(5))
            let path = try DocumentPath("devices/phone")
            _ = try await bench.disk.documents.commit([
                .set(path, ["token": "dead", "seen": .timestamp(bench.clock.timestamp)])
            ])
        }
        #expect(!pruned)
    }

    @Test("A registration renewed between reading and removal stays")
    func race() async throws {
        let bench = try Bench(ScriptedTransport { _ in .dead })
        let target = try await bench.register("phone", token: "dead")
        let path = try #require(target.registration)
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path == path }) else { return }
                bench.clock.advance(by: .seconds(1))
                _ = try await bench.disk.documents.commit([.set(path, ["token": "fresh"])])
            }
        }
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample([target]))
            try await eventually("the outcome is counted") { delivery.progress.pending == 0 }
            #expect(delivery.progress.pruned == 0)
        }
        #expect(try await bench.disk.documents.document(at: path)?["token"] == "fresh")
    }

    @Test("An unregistered token whose registration is gone or never existed is only counted")
    func gone() async throws {
        let bench = try Bench(ScriptedTransport { _ in .dead })
        try await bench.running {
            let gone = Target(address: PushAddress(token: "dead"), registration: try DocumentPath("devices/none"))
            let nowhere = Target(address: PushAddress(token: "dead2"), registration: nil)
            let delivery = try await bench.outbox.accept(.sample([gone, nowhere]))
            try await bench.settled(delivery)
            try await eventually("the outcome is counted") { delivery.progress.pending == 0 }
            #expect(delivery.progress.pruned == 0)
            #expect(delivery.progress.errors == [.registrationTokenNotRegistered: 2])
        }
    }

    @Test("A rejection that does not concern the token removes no registration")
    func refusal() async throws {
        let bench = try Bench(ScriptedTransport { _ in .refused })
        let target = try await bench.register("phone", token: "token")
        try await bench.running {
            try await bench.settled(try await bench.outbox.accept(.sample([target])))
        }
        #expect(try await bench.exists(target))
    }
}
