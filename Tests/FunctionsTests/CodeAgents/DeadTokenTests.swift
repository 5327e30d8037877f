import DocumentStore
import Functions
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Unregistered tokens after a wrong clock")
struct DeadTokenTests {
    private struct Stage {
        let bench: Bench
        private let death = Death()

        init() throws {
            let death = self.death
            bench = try Bench(ScriptedTransport { _ in .dead(since: death.time.withLock(\.self)) })
        }

        /// Notifies the device. Returns `true` if its subscription was removed.
        func isRemoved(deadSince time: Timestamp) async throws -> Bool {
            death.time.withLock { $0 = time }
            try await bench.running {
                let answer = try await bench.trigger()
                #expect(answer.body["attempted"] == 1)
            }
            return try await bench.document(Bench.device("phone")) == nil
        }

        /// Makes one foreign commit at a time that is a day ahead.
        func commitAhead() async throws {
            bench.clock.advance(by: .seconds(86_400))
            _ = try await bench.disk.documents.commit([.set(DocumentPath("rooms/1"), [:])])
            bench.clock.advance(by: .seconds(-86_400))
        }
    }

    /// The time that APNs gives.
    private final class Death: Sendable {
        let time = Mutex<Timestamp?>(nil)
    }

    @Test(
        "A subscription made after one commit from the future is removed by a later 410")
    func removed() async throws {
        let stage = try Stage()
        try await stage.commitAhead()
        _ = try await stage.bench.register()
        stage.bench.clock.advance(by: .seconds(60))
        #expect(try await stage.isRemoved(deadSince: stage.bench.clock.timestamp))
    }

    @Test("A subscription renewed after a 410 stays, even after one commit from the future")
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

    @Test("A subscription made while the clock was ahead is removed by a 410 after the clock is right again")
    func madeAhead() async throws {
        let stage = try Stage()
        stage.bench.clock.advance(by: .seconds(86_400))
        _ = try await stage.bench.register()
        stage.bench.clock.advance(by: .seconds(-86_400))
        #expect(try await stage.isRemoved(deadSince: stage.bench.clock.timestamp))
    }

    @Test("A subscription without a time is as old as its commit", arguments: [-1, 1])
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
