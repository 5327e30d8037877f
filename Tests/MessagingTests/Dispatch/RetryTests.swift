import DocumentStore
import Messaging
import TestDoubles
import Testing

@Suite("Sending again")
struct RetryTests {
    @Test("what failed is sent again after growing delays, alone, and under the same id")
    func growingDelays() async throws {
        let gates = (0..<4).map { _ in Gate() }
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.token == "busy" else { return .accepted }
                await gates[sent.attempt - 1].pass()
                return sent.attempt < 4 ? .busy : .accepted
            })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["good", "busy"]))
            for (attempt, seconds) in [(1, 2), (2, 4), (3, 8)] {
                try await eventually("attempt \(attempt)", advancing: bench.clock, by: .milliseconds(100)) {
                    gates[attempt - 1].waiting == 1
                }
                gates[attempt - 1].open()
                try await eventually("its outcome is stored") {
                    try await bench.chunk(delivery.messageID)["attempts"] == .integer(Int64(attempt))
                }
                #expect(
                    try await bench.chunk(delivery.messageID)["dueAt"]
                        == .timestamp(bench.clock.timestamp.adding(.seconds(seconds))))
            }
            gates[3].open()
            try await eventually("it settles", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.isSettled(delivery.messageID)
            }
        }
        #expect(bench.transport.tokens.filter { $0 == "good" }.count == 1)
        let again = bench.transport.sent.filter { $0.token == "busy" }
        #expect(again.map(\.attempt) == [1, 2, 3, 4])
        #expect(Set(again.map(\.id)).count == 1)
    }

    @Test("nothing is sent before it is due")
    func notEarly() async throws {
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy(retryAfter: .seconds(100)) : .accepted })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await eventually("the first attempt is stored") {
                try await bench.chunk(delivery.messageID)["attempts"] == .integer(1)
            }
            #expect(
                try await bench.chunk(delivery.messageID)["dueAt"]
                    == .timestamp(ManualClock.start.adding(.seconds(100))))
            for _ in 0..<99 {
                bench.clock.advance(by: .seconds(1))
                try await eventually("the reader sleeps again") { bench.clock.pendingSleeps.count == 1 }
            }
            #expect(bench.transport.sent.count == 1)
            try await eventually("it settles", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(delivery.messageID)
            }
        }
        #expect(bench.transport.sent.count == 2)
    }

    @Test("one that its service wants left alone for a while does not keep the others of its chunk waiting")
    func notBefore() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.attempt == 1 else { return .accepted }
                return sent.token == "patient" ? .busy(retryAfter: .seconds(100)) : .busy
            })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["patient", "quick"]))
            try await eventually("the quick one is sent again", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.chunk(delivery.messageID).targetStates == ["pending", "accepted"]
            }
            let restUntil = ManualClock.start.adding(.seconds(100))
            #expect(bench.clock.timestamp < restUntil)
            let chunk = try await bench.chunk(delivery.messageID)
            #expect(chunk["dueAt"] == chunk.targets.first?["notBefore"])
            #expect(try #require(chunk["dueAt"]?.timestamp) >= restUntil)
            try await eventually("the patient one too", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(delivery.messageID)
            }
            #expect(bench.clock.timestamp >= restUntil)
        }
        #expect(bench.transport.tokens.sorted() == ["patient", "patient", "quick", "quick"])
    }

    @Test("whoever waits hears of a retry that succeeded while it waited")
    func waitingOverRetry() async throws {
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy : .accepted })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await eventually("the retry settles", advancing: bench.clock, by: .milliseconds(500)) {
                try await bench.isSettled(delivery.messageID)
            }
            try await eventually("the progress says so") { delivery.progress.sent == 1 }
            #expect(delivery.progress.pending == 0)
            #expect(delivery.progress.errors.isEmpty)
        }
    }

    @Test("what cannot be sent within its lifetime is given up, and its registration stays")
    func expiry() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy })
        let target = try await bench.register("phone", token: "busy")
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample([target], lifetime: .seconds(60)))
            try await eventually("it settles", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(delivery.messageID)
            }
            let chunk = try await bench.chunk(delivery.messageID)
            let entry = try #require(chunk.targets.first)
            #expect(entry["state"] == "rejected")
            #expect(entry["code"] == "server-unavailable")
            #expect(entry["reason"] == "Expired")
            #expect(entry["device"] == "phone")
            #expect(entry["token"] == nil)
            let failures = try #require(entry["failures"]?.array).compactMap(\.map)
            #expect(failures.map { $0["reason"] } == Array(repeating: "ServiceUnavailable", count: 5))
            #expect(failures.compactMap { $0["at"]?.timestamp } == failures.compactMap { $0["at"]?.timestamp }.sorted())
        }
        #expect(bench.transport.sent.count == 5)
        #expect(try await bench.exists(target))
    }

    @Test("what expired while nothing ran is not sent at all")
    func expiredOnDisk() async throws {
        let bench = try Bench()
        let target = try await bench.register("phone", token: "good")
        let delivery = try await bench.outbox.accept(.sample([target], lifetime: .seconds(60)))
        bench.clock.advance(by: .seconds(60))
        try await bench.running { try await bench.settled(delivery) }
        #expect(bench.transport.sent.isEmpty)
        #expect(delivery.progress.errors == [.serverUnavailable: 1])
        #expect(delivery.progress.pending == 0)
        #expect(try await bench.exists(target))
    }

    @Test("a wait that a service asks for ends with the message's lifetime")
    func longRetryAfter() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy(retryAfter: .seconds(86_400 * 30)) })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await eventually("the first attempt is stored") {
                try await bench.chunk(delivery.messageID)["attempts"] == .integer(1)
            }
            #expect(
                try await bench.chunk(delivery.messageID)["dueAt"]
                    == .timestamp(ManualClock.start.adding(.seconds(86_400))))
        }
    }
}
