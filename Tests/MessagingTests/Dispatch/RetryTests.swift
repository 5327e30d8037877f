import DocumentStore
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Retries")
struct RetryTests {
    @Test("A failed target is sent again alone, after growing delays and under the same id")
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
            try await eventually("the message settles", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.isSettled(delivery.messageID)
            }
        }
        #expect(bench.transport.tokens.filter { $0 == "good" }.count == 1)
        let again = bench.transport.sent.filter { $0.token == "busy" }
        #expect(again.map(\.attempt) == [1, 2, 3, 4])
        #expect(Set(again.map(\.id)).count == 1)
    }

    @Test("A notification that counts something is sent with the badge of each attempt", arguments: [true, false])
    func badge(hasBadge: Bool) async throws {
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy : .accepted })
        let document = try DocumentPath("state/badge")
        _ = try await bench.disk.documents.commit([.set(document, ["count": .integer(2)])])
        var draft = Draft.sample()
        if hasBadge { draft.message.apns?.payload["aps"] = ["badge": 1] }
        draft.badge = BadgeCounter("count", in: document)
        let target = Target(address: PushAddress(token: "phone"), registration: nil)
        try await bench.running {
            let delivery = try await bench.outbox.accept(draft, to: [target])
            try await eventually("the first attempt is stored") {
                try await bench.chunk(delivery.messageID)["attempts"] == .integer(1)
            }
            _ = try await bench.disk.documents.commit([.set(document, ["count": .integer(0)])])
            try await eventually("the message settles", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.isSettled(delivery.messageID)
            }
        }
        let badges = bench.transport.sent.map { $0.message.message.apns?.payload["aps"]?["badge"]?.integer }
        #expect(badges == (hasBadge ? [2, 0] : [nil, nil]))
    }

    @Test("A failed notification is not sent before it is due")
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
            try await eventually("the message settles", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(delivery.messageID)
            }
        }
        #expect(bench.transport.sent.count == 2)
    }

    @Test("A target with a Retry-After does not delay the other targets of its chunk")
    func notBefore() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.attempt == 1 else { return .accepted }
                return sent.token == "patient" ? .busy(retryAfter: .seconds(100)) : .busy
            })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["patient", "quick"]))
            try await eventually("the quick target is sent again", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.chunk(delivery.messageID).targetStates == ["pending", "accepted"]
            }
            let restUntil = ManualClock.start.adding(.seconds(100))
            #expect(bench.clock.timestamp < restUntil)
            let chunk = try await bench.chunk(delivery.messageID)
            #expect(chunk["dueAt"] == chunk.targets.first?["notBefore"])
            #expect(try #require(chunk["dueAt"]?.timestamp) >= restUntil)
            try await eventually("the patient target settles", advancing: bench.clock, by: .seconds(1)) {
                try await bench.isSettled(delivery.messageID)
            }
            #expect(bench.clock.timestamp >= restUntil)
        }
        #expect(bench.transport.tokens.sorted() == ["patient", "patient", "quick", "quick"])
    }

    private static func lastFailure(of chunk: Document) -> Timestamp {
        chunk.targets.compactMap { $0["failures"]?.array?.last?.map?["at"]?.timestamp }.max() ?? .distantPast
    }

    @Test("A wait for a turn is no attempt, so the delays do not grow by it, and a failure of another target counts")
    func turns() async throws {
        let bench = try Bench(
            ScriptedTransport { sent in
                guard sent.attempt <= 3 else { return .accepted }
                return sent.token == "busy" && sent.attempt == 3 ? .busy : .waiting(.seconds(1))
            })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["patient", "busy"]))
            for (attempt, seconds, count) in [(1, 1, 0), (2, 1, 0), (3, 2, 1)] {
                try await eventually("attempt \(attempt)", advancing: bench.clock, by: .milliseconds(100)) {
                    let chunk = try await bench.chunk(delivery.messageID)
                    let failures = chunk.targets.map { $0["failures"]?.array?.count ?? 0 }
                    guard failures == [attempt, attempt], let dueAt = chunk["dueAt"]?.timestamp else { return false }
                    // Before its end an attempt may store outcomes without the time of the next one.
                    return dueAt > Self.lastFailure(of: chunk)
                }
                let chunk = try await bench.chunk(delivery.messageID)
                #expect(chunk["attempts"] == .integer(Int64(count)))
                let dueAt = try #require(chunk["dueAt"]?.timestamp)
                #expect(dueAt >= Self.lastFailure(of: chunk).adding(.seconds(seconds)))
                #expect(dueAt <= bench.clock.timestamp.adding(.seconds(seconds)))
            }
            #expect(delivery.progress.sent == 0 && delivery.progress.pending == 2)
            try await eventually("the message settles", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.isSettled(delivery.messageID)
            }
        }
        #expect(bench.transport.tokens.filter { $0 == "patient" }.count == 4)
    }

    @Test("A waiting caller sees a retry that succeeded meanwhile")
    func waitingOverRetry() async throws {
        let bench = try Bench(ScriptedTransport { $0.attempt == 1 ? .busy : .accepted })
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            try await eventually("the retry settles", advancing: bench.clock, by: .milliseconds(500)) {
                try await bench.isSettled(delivery.messageID)
            }
            try await eventually("the progress includes the retry") { delivery.progress.sent == 1 }
            #expect(delivery.progress.pending == 0)
            #expect(delivery.progress.errors.isEmpty)
        }
    }

    @Test("A target that fails until its lifetime ends is given up and keeps its registration")
    func expiry() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy })
        let target = try await bench.register("phone", token: "busy")
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample([target], lifetime: .seconds(60)))
            try await eventually("the message settles", advancing: bench.clock, by: .seconds(1)) {
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

    @Test("A message that expired while no process ran is not sent")
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

    @Test("A Retry-After longer than the message's lifetime is cut to it")
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
