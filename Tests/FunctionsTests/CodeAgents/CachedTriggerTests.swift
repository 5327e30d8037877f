import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@testable import DocumentStore

@Suite("Triggers that read nothing", .timeLimit(.minutes(10)))
struct CachedTriggerTests {
    private static let key = String(Bench.server.split(separator: "/")[1])

    /// Counts the reads of the server's document together with its agent and devices.
    private func reads(of bench: Bench) -> Tally {
        let reads = Tally()
        bench.store.set { hooks in
            hooks.afterRead = { paths in if paths.count > 1, paths[0].description == Bench.server { reads.add() } }
        }
        return reads
    }

    @Test("A repeated trigger reads nothing, and has the same recipients, title and answer")
    func repeated() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register(.register(name: "Agent"))
            _ = try await bench.register(.register("tablet", token: "token-2", name: "Agent"))
            let reads = reads(of: bench)
            let first = try await bench.trigger()
            #expect(first.body["sent"] == 2)
            for _ in 0..<3 { #expect(try await bench.trigger() == first) }
            #expect(reads.count == 1)
        }
        #expect(bench.transport.tokens.filter { $0 == "token-2" }.count == 4)
    }

    @Test("Without a cache, each trigger reads")
    func shared() async throws {
        let bench = try Bench(services: { services in
            var services = services
            services.cache = { _ in nil }
            return services
        })
        try await bench.running {
            _ = try await bench.register()
            let reads = reads(of: bench)
            for _ in 0..<3 { #expect(try await bench.trigger().body["sent"] == 1) }
            #expect(reads.count == 3)
        }
    }

    @Test("The next trigger knows of a registration, another token, a name and an unregistration")
    func devices() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.trigger()
            _ = try await bench.register(.register("tablet", token: "token-2"))
            #expect(try await bench.trigger().body["attempted"] == 2)
            _ = try await bench.register(.register(token: "token-3", name: "New name"))
            #expect(try await bench.trigger().body["attempted"] == 2)
            #expect(Set(bench.transport.tokens.suffix(2)) == ["token-2", "token-3"])
            let title = bench.transport.sent.last?.message.message.notification?.title
            #expect(title == "New name")
            _ = try await bench.unregister(.unregister("tablet"))
            #expect(try await bench.trigger().body["attempted"] == 1)
            _ = try await bench.unregister(.unregister())
            #expect(try await bench.trigger().body["attempted"] == 0)
        }
    }

    @Test("The next trigger knows of the operator's decision")
    func decisions() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            for _ in 0..<2 { #expect(try await bench.trigger().status == .ok) }
            for _ in 0..<2 {
                _ = try await bench.module.setAccess(.denied, of: Self.key, name: nil)
                #expect(try await bench.trigger().body["error"] == "server_not_allowed")
                _ = try await bench.module.setAccess(.allowed, of: Self.key, name: nil)
                #expect(try await bench.trigger().status == .ok)
            }
        }
    }

    @Test("A device that is removed because its token is invalid is no recipient of the next trigger")
    func pruned() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.token == "dead" else { return .accepted }
                return .rejected(
                    Rejection(
                        code: .registrationTokenNotRegistered, reason: "Unregistered",
                        invalidation: .unregistered(since: nil)))
            })
        try await bench.running {
            _ = try await bench.register(.register("a", token: "dead"))
            _ = try await bench.register(.register("b", token: "good"))
            #expect(try await bench.trigger().body["pruned"] == 1)
            #expect(try await bench.trigger().body["attempted"] == 1)
        }
    }

    @Test("An excluded installation is left out with its twins, whether it is read or known")
    func excluded() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register(.register("a", token: "same"))
            _ = try await bench.register(.register("b", token: "same"))
            _ = try await bench.register(.register("c", token: "other"))
            let reads = reads(of: bench)
            let answers = [
                try await bench.trigger(.trigger(["exclude_installation_id": "a"])),
                try await bench.trigger(.trigger(["exclude_installation_id": "a"])),
                try await bench.trigger(.trigger(["exclude_installation_id": "b"])),
            ]
            #expect(reads.count == 1)
            for answer in answers { #expect(answer.body["attempted"] == 1 && answer.body["excluded"] == 2) }
            let unknown = try await bench.trigger(.trigger(["exclude_installation_id": "z"]))
            #expect(unknown.body["attempted"] == 2 && unknown.body["excluded"] == 1)
            #expect(reads.count == 1)
        }
    }

    @Test("A server without registrations, and an agent without a document, are read each time")
    func unknown() async throws {
        let bench = try Bench()
        let reads = reads(of: bench)
        for _ in 0..<2 { #expect(try await bench.trigger().body["reason"] == "unknown_server") }
        #expect(reads.count == 2)
        _ = try await bench.register()
        for _ in 0..<2 { #expect(try await bench.trigger(.trigger(cwd: "/none")).body["attempted"] == 0) }
        // A registration reads the documents too.
        #expect(reads.count == 5)
    }

    @Test("A refreshed time is known to the next trigger, which does not write it again")
    func refreshedOnce() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        _ = try await bench.unregister(.unregister())
        let commits = Tally()
        bench.store.set { $0.beforeCommit = { _ in commits.add() } }
        for hour in 1...3 {
            bench.clock.advance(by: .seconds(3_600))
            for _ in 0..<3 { _ = try await bench.trigger() }
            #expect(commits.count == hour)
        }
    }

    // MARK: Reads and commits at the same time

    @Test("A device that unregisters while a trigger reads is no recipient of the next one")
    func unregisteredMeanwhile() async throws {
        let gate = Gate()
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.register(.register("tablet", token: "token-2"))
            bench.store.set { hooks in
                hooks.afterRead = { paths in if paths.first?.description == Bench.server { await gate.pass() } }
            }
            async let early = bench.trigger()
            try await eventually("the trigger has read") { gate.waiting == 1 }
            _ = try await bench.unregister(.unregister("tablet", cwd: "/srv/app"))
            gate.open()
            // It has read the device before.
            #expect(try await early.body["attempted"] == 2)
            for _ in 0..<2 { #expect(try await bench.trigger().body["attempted"] == 1) }
        }
    }

    @Test("A server that is denied while a trigger reads cannot trigger again, also if another trigger reads later")
    func deniedMeanwhile() async throws {
        let gate = Gate()
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            bench.store.set { hooks in
                hooks.afterRead = { paths in if paths.first?.description == Bench.server { await gate.pass() } }
            }
            async let early = bench.trigger()
            try await eventually("the trigger has read") { gate.waiting == 1 }
            _ = try await bench.disk.documents.commit([
                .merge(try DocumentPath(Bench.server), ["access": "denied"])
            ])
            async let late = bench.trigger()
            try await eventually("the other trigger has read") { gate.waiting == 2 }
            gate.open()
            #expect(try await early.status == .ok)
            #expect(try await late.status == .forbidden)
            for _ in 0..<2 { #expect(try await bench.trigger().status == .forbidden) }
        }
    }

    // MARK: Other gateways

    /// Returns a module whose cache does not learn of changes, as if another gateway made them. The first commit of a
    /// message from what is in memory is refused then, as the engine refuses it.
    private func sharedBench() throws -> (bench: Bench, cache: DocumentCache) {
        let cache = DocumentCache(
            of: "servers", in: .gateway, mostBytes: DocumentCache.usualBytes, isShared: true)
        let bench = try Bench(services: { services in
            var services = services
            services.cache = { _ in cache }
            return services
        })
        return (bench, cache)
    }

    /// Refuses the next commit that accepts a message.
    private func refuseNextMessage(of bench: Bench) {
        let refused = Tally()
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                let isNewMessage = writes.contains {
                    $0.path.collection.id == "messages" && $0.precondition == .exists(false)
                }
                guard refused.count == 0, isNewMessage else { return }
                refused.add()
                throw StoreError.outdated
            }
        }
    }

    @Test("A trigger whose documents another gateway has changed reads them, and sends to the present devices once")
    func outdated() async throws {
        let (bench, _) = try sharedBench()
        try await bench.running {
            _ = try await bench.register()
            #expect(try await bench.trigger().body["sent"] == 1)
            _ = try await bench.unregister(.unregister())
            _ = try await bench.register(.register("tablet", token: "token-2"))
            let sent = bench.transport.tokens.count
            let reads = reads(of: bench)
            refuseNextMessage(of: bench)
            let answer = try await bench.trigger()
            #expect(answer.body["attempted"] == 1 && answer.body["sent"] == 1)
            #expect(bench.transport.tokens.dropFirst(sent) == ["token-2"])
            #expect(reads.count == 1)
        }
    }

    @Test("A refusal, and an answer without devices, are never made from what another gateway may have changed")
    func refusals() async throws {
        let (bench, cache) = try sharedBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.module.setAccess(.denied, of: Self.key, name: nil)
            #expect(try await bench.trigger().body["error"] == "server_not_allowed")
            #expect(!cache.isEmpty)
            _ = try await bench.module.setAccess(.allowed, of: Self.key, name: nil)
            // The denial has removed the devices.
            _ = try await bench.register()
            #expect(try await bench.trigger().body["sent"] == 1)
        }
        let (other, otherCache) = try sharedBench()
        try await other.running {
            _ = try await other.register()
            _ = try await other.unregister(.unregister())
            #expect(try await other.trigger().body["attempted"] == 0)
            #expect(!otherCache.isEmpty)
            _ = try await other.register()
            #expect(try await other.trigger().body["attempted"] == 1)
        }
    }
}
