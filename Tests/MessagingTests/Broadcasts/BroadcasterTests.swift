import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("A message to a topic", .timeLimit(.minutes(1)))
struct BroadcasterTests {
    @Test("goes to each of its subscribers, once, in chunks of 500")
    func topic() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(1_203)
        try await stage.subscriptions.subscribe(devices, to: "news")
        _ = try await stage.devices(10, first: 5_000)
        try await stage.running {
            let sent = try await stage.recipients(of: "'news' in topics")
            #expect(sent.count == 1_203 && Set(sent) == devices.deviceTokens)
        }
        let messages = try await stage.bench.disk.documents.documents(matching: .collection(CollectionPath("messages")))
        let chunks = try await stage.bench.chunks(of: try #require(messages.first).path.id)
        #expect(chunks.map { $0.targets.count }.reduce(0, +) == 1_203)
        #expect(chunks.allSatisfy { $0.targets.count <= 500 })
        let counts = messages.first
        #expect(counts?["targetCount"] == .integer(1_203) && counts?["chunkCount"] == .integer(Int64(chunks.count)))
    }

    @Test("or a condition goes to those for whom it holds")
    func conditions() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(30)
        let (a, b, c) = (Array(devices[0..<12]), Array(devices[8..<20]), Array(devices[18..<24]))
        for (topic, members) in [("a", a), ("b", b), ("c", c)] {
            try await stage.subscriptions.subscribe(members, to: topic)
        }
        try await stage.running {
            let expectations: [(String, [Range<Int>])] = [
                ("'a' in topics && 'b' in topics", [8..<12]),
                ("'a' in topics || 'c' in topics", [0..<12, 18..<24]),
                ("'b' in topics && ('a' in topics || 'c' in topics)", [8..<12, 18..<20]),
                ("'b' in topics && !('a' in topics)", [12..<20]),
                ("!('a' in topics)", [12..<30]),
                ("'nobody' in topics", []),
            ]
            for (condition, ranges) in expectations {
                let expected = ranges.flatMap { devices[$0] }
                let sent = try await stage.recipients(of: condition)
                #expect(Set(sent) == expected.deviceTokens && sent.count == expected.count, "\(condition)")
            }
        }
    }

    @Test("leaves out who has unsubscribed, and whose registration is gone; of the latter nothing stays")
    func gone() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(4)
        try await stage.subscriptions.subscribe(devices, to: "news")
        #expect(try await stage.subscriptions.unsubscribe([devices[0]], from: "news") == [true])
        _ = try await stage.bench.store.commit([.delete(RegistrationDocuments.registration(devices[1].fid))])
        // Registered anew: another token, and no topics.
        _ = try await stage.bench.store.commit([.delete(RegistrationDocuments.registration(devices[2].fid))])
        #expect(try await stage.devices(1, first: 2).first?.token != devices[2].token)
        try await stage.running {
            #expect(
                try await stage.recipients(of: "'news' in topics") == Array(devices[3...]).map(\.address.token.value))
            try await eventually("what is void is removed, from both ends") {
                try await stage.subscriptionEnds() == 2
            }
            #expect(
                try await stage.subscriptions.subscription(of: devices[3], to: "news")?.topic == "news")
        }
    }

    @Test("goes on where it was after a crash, and nobody is left out or sent it under a second id")
    func crash() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(1_100)
        try await stage.subscriptions.subscribe(devices, to: "news")
        let id = try await stage.broadcaster.accept(.sample(), to: try Condition(topic: "news"))
        let pages = stage.failPages(after: 1)
        try await stage.running { try await eventually("a page is stored") { pages() > 1 } }
        let next = try TopicBench(on: stage)
        try await next.running { try await next.ended(id) }
        let sent = stage.bench.transport.sent + next.bench.transport.sent
        #expect(Set(sent.map(\.token)) == devices.deviceTokens)
        #expect(Set(sent.map(\.id)).count == 1_100)
    }

    @Test("that has nobody is accepted, and kept as long as others are")
    func nobody() async throws {
        let stage = try TopicBench()
        let id = try await stage.broadcaster.accept(.sample(), to: try Condition(topic: "empty"))
        try await stage.running { try await stage.ended(id) }
        let clock = stage.bench.clock
        let retention = OutboxRetention(
            store: stage.bench.store, maximumAge: .seconds(60), now: { clock.timestamp })
        #expect(try await retention.sweep() == 0)
        clock.advance(by: .seconds(61))
        #expect(try await retention.sweep() == 1)
        #expect(try await DeliveryHistory(store: stage.bench.store).delivery(of: id) == nil)
    }

    @Test("whose time is over is sent to nobody more, which is logged with how many it reached")
    func expired() async throws {
        let stage = try TopicBench()
        try await stage.subscriptions.subscribe(try await stage.devices(1_100), to: "news")
        let id = try await stage.broadcaster.accept(
            .sample(lifetime: .seconds(60)), to: try Condition(topic: "news"))
        let clock = stage.bench.clock
        let commits = Mutex(0)
        stage.bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.collection.id == Broadcast.collection }) else { return }
                commits.withLock { $0 += 1 }
                clock.advance(by: .seconds(61))
            }
        }
        try await stage.running { try await stage.ended(id) }
        #expect(commits.withLock { $0 } == 2)
        let message = try await stage.bench.disk.documents.document(at: DocumentPath("messages/\(id)"))
        #expect(message?["targetCount"] == .integer(500))
        let line = try #require(stage.bench.log.lines.first { $0.hasPrefix("notice a message to many expired") })
        #expect(line.contains(id) && line.contains("500"))
    }
}
