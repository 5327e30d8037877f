import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("The upgrade of registrations of device tokens", .timeLimit(.minutes(10)))
struct RegistrationUpgradeTests {
    private typealias Field = RegistrationDocuments.Field
    private static let small = "0f" + String(repeating: "ab", count: 31)
    private static let capital = small.uppercased()
    private static let key = RegistrationTokenKey(Array(repeating: 1, count: 32))

    private func upgrade(_ stage: TopicBench) -> RegistrationUpgrade {
        RegistrationUpgrade(store: stage.bench.store, key: Self.key)
    }

    /// Stores a registration as older versions did: with an id for the token's own spelling.
    private func store(
        _ token: String, in stage: TopicBench, registeredAt seconds: Int64, topics: [String]
    ) async throws {
        let fid = Self.key.fid(ofDevice: token, app: "")
        let time = Value.timestamp(ManualClock.start.adding(.seconds(seconds)))
        let subscription: Fields = [Field.token: .string(token), Field.createdAt: time]
        var writes: [Write] = [
            .set(
                try RegistrationDocuments.registration(fid),
                [
                    Field.token: .string(token), Field.deviceToken: .string(token), "transport": .string("apns"),
                    Field.createdAt: time, Field.registeredAt: time, "note": .integer(seconds),
                ])
        ]
        for topic in topics {
            for path in try RegistrationDocuments.ends(of: fid, topic) { writes.append(.set(path, subscription)) }
        }
        _ = try await stage.bench.disk.documents.commit(writes)
    }

    private func registration(_ stage: TopicBench, _ token: String) async throws -> Registration {
        try await stage.directory.registration(of: RegistrationToken(token)).get()
    }

    @Test("A token's spellings are one registration, with one subscription to a topic and one notification")
    func subscribing() async throws {
        let stage = try TopicBench()
        for (token, topic) in [(Self.capital, "news"), (Self.small, "news"), (Self.small, "sport")] {
            try await stage.subscriptions.subscribe([try await registration(stage, token)], to: topic)
        }
        #expect(try await stage.subscriptionEnds() == 4)
        let topics = try await stage.subscriptions.subscriptions(
            of: try await registration(stage, Self.capital), limit: 10)
        #expect(topics.map(\.topic) == ["news", "sport"])
        try await stage.running {
            let sent = try await stage.recipients(of: "'news' in topics || 'sport' in topics")
            #expect(sent == [Self.small])
        }
    }

    @Test(
        "Registrations of both spellings become the newer one, with the topics of both",
        arguments: [(capital: 5, small: 9), (capital: 9, small: 5)])
    func twins(capital: Int64, small: Int64) async throws {
        let stage = try TopicBench()
        try await store(Self.capital, in: stage, registeredAt: capital, topics: ["a", "both"])
        try await store(Self.small, in: stage, registeredAt: small, topics: ["both", "c"])
        try await store("Case-Sensitive", in: stage, registeredAt: 1, topics: ["a"])
        #expect(try await upgrade(stage).run() == 1)
        let merged = try await registration(stage, Self.capital)
        #expect(merged.isStored && merged.token.value == Self.small)
        let document = try await stage.bench.disk.documents.document(
            at: try RegistrationDocuments.registration(merged.fid))
        #expect(document?["note"]?.integer == 9)
        #expect(document?[Field.createdAt]?.timestamp == ManualClock.start.adding(.seconds(5)))
        let topics = try await stage.subscriptions.subscriptions(of: merged, limit: 10)
        #expect(topics.map(\.topic) == ["a", "both", "c"])
        #expect(try await stage.subscriptionEnds() == 8)
        try await stage.running {
            let sent = try await stage.recipients(of: "'both' in topics")
            #expect(sent == [Self.small])
            let recipients = try await stage.recipients(of: "'a' in topics")
            #expect(Set(recipients) == [Self.small, "Case-Sensitive"])
        }
        #expect(try await upgrade(stage).run() == 0)
    }

    @Test("A registration in capitals without a twin keeps all of its many topics")
    func alone() async throws {
        let stage = try TopicBench()
        let names = (0..<250).map { "topic-\(1_000 + $0)" }
        try await store(Self.capital, in: stage, registeredAt: 5, topics: names)
        #expect(try await upgrade(stage).run() == 1)
        let topics = try await stage.subscriptions.subscriptions(
            of: try await registration(stage, Self.small), limit: 1_000)
        #expect(topics.map(\.topic) == names)
        #expect(try await stage.subscriptionEnds() == 500)
        let registrations = try await stage.bench.disk.documents.count(
            .collection(try CollectionPath(RegistrationDocuments.registrations)))
        #expect(registrations == 1)
    }

    @Test("Before the upgrade a registration in capitals keeps its subscriptions and is notified")
    func before() async throws {
        let stage = try TopicBench()
        try await store(Self.capital, in: stage, registeredAt: 5, topics: ["news"])
        try await stage.running {
            let sent = try await stage.recipients(of: "'news' in topics")
            #expect(sent == [Self.small])
        }
        #expect(try await stage.subscriptionEnds() == 2)
    }
}
