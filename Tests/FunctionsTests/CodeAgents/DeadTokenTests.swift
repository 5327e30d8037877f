import DocumentStore
import Functions
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Tokens that APNs calls dead, when the clock was wrong")
struct DeadTokenTests {
    private struct Stage {
        let bench: Bench
        private let death = Death()

        init() throws {
            let death = self.death
            bench = try Bench(ScriptedTransport { _ in .dead(since: death.time.withLock(\.self)) })
        }

        /// Notifies the phone, and says whether its subscription was removed.
        func isRemoved(deadSince time: Timestamp) async throws -> Bool {
            death.time.withLock { $0 = time }
            try await bench.running {
                let answer = try await bench.trigger()
                #expect(answer.body["attempted"] == 1)
            }
            return try await bench.document(Bench.device("phone")) == nil
        }

        /// One commit of somebody else's, at a time that is a day ahead.
        func commitAhead() async throws {
            bench.clock.advance(by: .seconds(86_400))
            _ = try await bench.disk.documents.commit([.set(DocumentPath("rooms/1"), [:])])
            bench.clock.advance(by: .seconds(-86_400))
        }
    }

    /// The time that APNs names.
    private final class Death: Sendable {
        let time = Mutex<Timestamp?>(nil)
    }

    @Test(
        "a subscription made after the clock was ahead for one commit is removed by a later word of its token's death")
    func removed() async throws {
        let stage = try Stage()
        try await stage.commitAhead()
        _ = try await stage.bench.register()
        stage.bench.clock.advance(by: .seconds(60))
        #expect(try await stage.isRemoved(deadSince: stage.bench.clock.timestamp))
    }

    @Test("a subscription renewed after its token's death stays, though the clock was ahead for one commit")
    func renewed() async throws {
        let stage = try Stage()
        try await stage.commitAhead()
        _ = try await stage.bench.register()
        stage.bench.clock.advance(by: .seconds(60))
        let death = stage.bench.clock.timestamp
        stage.bench.clock.advance(by: .seconds(60))
        _ = try await stage.bench.register()
        #expect(try await !stage.isRemoved(deadSince: death))
    }

    @Test("a subscription made while the clock was ahead is removed once the clock is right")
    func madeAhead() async throws {
        let stage = try Stage()
        stage.bench.clock.advance(by: .seconds(86_400))
        _ = try await stage.bench.register()
        stage.bench.clock.advance(by: .seconds(-86_400))
        #expect(try await stage.isRemoved(deadSince: stage.bench.clock.timestamp))
    }

    @Test("a subscription without a time of its own is as old as its commit", arguments: [-1, 1])
    func withoutTime(seconds: Int) async throws {
        let stage = try Stage()
        _ = try await stage.bench.register()
        _ = try await stage.bench.disk.documents.commit([
            .set(DocumentPath(Bench.device("phone")), ["fcmToken": "token-1", "transport": "fcm", "platform": "ios"])
        ])
        let committed = stage.bench.clock.timestamp
        #expect(try await stage.isRemoved(deadSince: committed.adding(.seconds(seconds))) == (seconds > 0))
    }
}
