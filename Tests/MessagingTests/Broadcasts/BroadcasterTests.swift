import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("Broadcasts to a topic", .timeLimit(.minutes(10)))
struct BroadcasterTests {
    @Test("A message to a topic reaches each of its subscribers once, in chunks of at most 500")
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

    @Test("A message to a condition reaches exactly the devices for which it holds")
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

    @Test("A topic message skips ended subscriptions and removed registrations, and deletes the void subscriptions")
    func gone() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(4)
        try await stage.subscriptions.subscribe(devices, to: "news")
        #expect(try await stage.subscriptions.unsubscribe([devices[0]], from: "news") == [true])
        _ = try await stage.bench.store.commit([.delete(RegistrationDocuments.registration(devices[1].fid))])
        // The registration is made again, with another token and no topics.
        _ = try await stage.bench.store.commit([.delete(RegistrationDocuments.registration(devices[2].fid))])
        #expect(try await stage.devices(1, first: 2).first?.token != devices[2].token)
        try await stage.running {
            #expect(
                try await stage.recipients(of: "'news' in topics") == Array(devices[3...]).map(\.address.token.value))
            try await eventually("void subscriptions are removed from both ends") {
                try await stage.subscriptionEnds() == 2
            }
            #expect(
                try await stage.subscriptions.subscription(of: devices[3], to: "news")?.topic == "news")
        }
    }

    @Test("A topic message continues after a crash, and each subscriber gets it under one id")
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

    @Test("A message to an empty topic is accepted and kept as long as others")
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

    @Test("An expired topic message is sent no further, and the log says how many devices it reached")
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
        let line = try #require(stage.bench.log.lines.first { $0.hasPrefix("notice stopped a broadcast that expired") })
        #expect(line.contains(id) && line.contains("500"))
    }
}
