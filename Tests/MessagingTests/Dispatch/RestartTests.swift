import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The dispatcher after a crash")
struct RestartTests {
    @Test("The next process sends every accepted message under the same ids")
    func neverRan() async throws {
        let bench = try Bench()
        var deliveries: [Delivery] = []
        for number in 0..<20 {
            let tokens = (0..<(number + 1)).map { "m\(number)-\($0)" }
            deliveries.append(try await bench.outbox.accept(.sample(tokens: tokens, topic: "t\(number % 3)")))
        }
        let next = try Bench(on: bench)
        try await next.running { for delivery in deliveries { try await next.settled(delivery) } }
        #expect(bench.transport.sent.isEmpty)
        #expect(next.transport.sent.count == 210)
        #expect(next.transport.attempts.values.allSatisfy { $0 == 1 })
        #expect(Set(next.transport.tokens).count == 210)
    }

    @Test("A process that died while sending is followed by one that sends again under the same ids")
    func diedWhileSending() async throws {
        let bench = try Bench(ScriptedTransport { _ in .accepted })
        // The outcomes never reach the disk.
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                if writes.contains(where: { $0.isOfChunk && $0.precondition == nil }) { throw .diskFull }
            }
        }
        let tokens = (0..<40).map { "t\($0)" }
        var messageID = ""
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: tokens))
            messageID = delivery.messageID
            try await eventually("all notifications were sent") { bench.transport.sent.count == 40 }
            #expect(try await bench.chunk(messageID).targetStates == tokens.map { _ in "pending" })
        }
        let next = try Bench(on: bench)
        try await next.running { try await eventually("the message settles") { try await next.isSettled(messageID) } }
        #expect(next.transport.attempts.keys.count == 40)
        #expect(next.transport.attempts == bench.transport.attempts)
        #expect(Set(next.transport.tokens) == Set(tokens))
        #expect(next.transport.sent.first?.message.message == .sample())
    }

    @Test("The count of attempts and the time of the next one survive a restart")
    func retriesSurvive() async throws {
        let bench = try Bench(ScriptedTransport { _ in .busy(retryAfter: .seconds(50)) })
        var messageID = ""
        try await bench.running {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["phone"]))
            messageID = delivery.messageID
            try await eventually("the attempt is stored") {
                try await bench.chunk(messageID)["attempts"] == .integer(1)
            }
        }
        let gate = Gate()
        let transport = ScriptedTransport { _ in
            await gate.pass()
            return .busy
        }
        let next = try Bench(transport, on: bench)
        try await next.running {
            bench.clock.advance(by: .seconds(49))
            try await eventually("the reader sleeps") { bench.clock.pendingSleeps.count == 1 }
            #expect(next.transport.sent.isEmpty)
            try await eventually("the second attempt", advancing: bench.clock, by: .milliseconds(500)) {
                gate.waiting == 1
            }
            gate.open()
            try await eventually("its outcome is stored") {
                try await next.chunk(messageID)["attempts"] == .integer(2)
            }
            #expect(
                try await next.chunk(messageID)["dueAt"]
                    == .timestamp(bench.clock.timestamp.adding(.seconds(4))))
        }
    }

    @Test("A backlog larger than one read is sent completely, the earliest due first")
    func many() async throws {
        let bench = try Bench()
        var first = ""
        for number in 0..<350 {
            let delivery = try await bench.outbox.accept(.sample(tokens: ["t\(number)"]))
            if number == 0 { first = delivery.messageID }
            bench.clock.advance(by: .milliseconds(1))
        }
        let next = try Bench(ScriptedTransport(window: 1), on: bench)
        try await next.running {
            try await eventually("all are sent") { next.transport.sent.count == 350 }
        }
        // Two chunks are in progress while one notification is in flight, so either can be the first.
        #expect(Set(next.transport.tokens.prefix(2)) == ["t0", "t1"])
        #expect(Set(next.transport.tokens).count == 350)
        #expect(try await next.isSettled(first))
    }

    @Test("Damaged chunks are reported and do not delay good ones")
    func damaged() async throws {
        let bench = try Bench()
        let place = QueueKey().text(PushAddress(token: "x").lane, dueAt: bench.clock.timestamp)
        for number in 0..<150 {
            let chunk = try DocumentPath("messages/damaged\(number)")
            _ = try await bench.disk.documents.commit([.set(chunk, ["queue": .string(place)])])
        }
        for number in 0..<150 {
            let source = try await bench.chunk(try await bench.outbox.accept(.sample(tokens: ["x"])).messageID)
            let orphan = try DocumentPath("messages/orphan\(number)/messages/1")
            _ = try await bench.disk.documents.commit([.set(orphan, source.fields), .delete(source.path)])
        }
        bench.clock.advance(by: .seconds(1))
        let delivery = try await bench.outbox.accept(.sample(tokens: ["good"]))
        let next = try Bench(on: bench)
        try await next.running {
            try await eventually("the good message is sent", advancing: bench.clock, by: .milliseconds(100)) {
                try await next.isSettled(delivery.messageID)
            }
        }
        #expect(next.transport.tokens == ["good"])
        #expect(next.log.lines.contains { $0.hasPrefix("error setting aside a chunk that cannot be sent") })
    }

    /// With room for one chunk in memory, each chunk is once the first left on disk.
    @Test(
        "Unreadable chunks and messages do not delay good ones",
        arguments: [1, 20_000])
    func unreadable(capacity: Int) async throws {
        let bench = try Bench()
        var ids: [String] = []
        for number in 0..<9 {
            ids.append(try await bench.outbox.accept(.sample(tokens: ["token \(number)"])).messageID)
        }
        try await bench.disk.damage(OutboxDocuments.messagePath(ids[2]))
        _ = try await bench.disk.documents.commit([
            .merge(try OutboxDocuments.messagePath(ids[5]), ["source": .integer(1)])
        ])
        bench.clock.advance(by: .seconds(1))
        var configuration = Dispatcher.Configuration()
        configuration.capacity = capacity
        let next = try Bench(on: bench, configuration: configuration)
        try await next.running {
            try await eventually("the good messages are sent", advancing: bench.clock, by: .milliseconds(100)) {
                next.transport.sent.count >= 7
            }
        }
        #expect(Set(next.transport.tokens) == Set([0, 1, 3, 4, 6, 7, 8].map { "token \($0)" }))
        #expect(next.log.lines.contains { $0.hasPrefix("error skipping a message that cannot be read") })
    }

    @Test("Foreign documents in collections named messages stay unchanged and delay nothing")
    func foreign() async throws {
        let bench = try Bench()
        let place = Value.string(QueueKey().text(PushAddress(token: "x").lane, dueAt: bench.clock.timestamp))
        let foreign = try (0..<150).flatMap { number in
            [try DocumentPath("rooms/\(number)/messages/intro"), try DocumentPath("rooms/\(number)/messages/7")]
        }
        for start in stride(from: 0, to: foreign.count, by: 100) {
            _ = try await bench.disk.documents.commit(foreign[start..<(start + 100)].map { .set($0, ["queue": place]) })
        }
        bench.clock.advance(by: .seconds(1))
        let delivery = try await bench.outbox.accept(.sample(tokens: ["good"]))
        let next = try Bench(on: bench)
        try await next.running {
            try await eventually("the message is sent", advancing: bench.clock, by: .milliseconds(100)) {
                try await next.isSettled(delivery.messageID)
            }
        }
        let left = try await bench.disk.documents.documents(at: foreign)
        #expect(left.allSatisfy { $0?.fields == ["queue": place] })
    }
}
