import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("Subscriptions to topics")
struct TopicSubscriptionsTests {
    @Test("Subscribing registrations that are not stored stores each with its subscription in one commit")
    func unstored() async throws {
        let stage = try TopicBench()
        let tokens = (0..<400).map { RegistrationToken("phone-\($0)") }
        let registrations = try await stage.directory.registrations(of: tokens).map { try $0.get() }
        let commits = Mutex<[[DocumentPath]]>([])
        stage.bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in commits.withLock { $0.append(writes.map(\.path)) } }
        }
        try await stage.subscriptions.subscribe(registrations, to: "news")
        let stored = commits.withLock { $0 }
        #expect(stored.count == 3 && stored.allSatisfy { $0.count <= 500 })
        for registration in registrations {
            let whole = Set([
                try RegistrationDocuments.registration(registration.fid),
                try RegistrationDocuments.subscriptions(of: registration.fid).document("news"),
                try RegistrationDocuments.subscribers(of: "news").document(registration.fid),
            ])
            #expect(stored.contains { whole.isSubset(of: $0) })
        }
    }

    @Test("Subscribing and unsubscribing change both ends of a subscription")
    func ends() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(300)
        try await stage.subscriptions.subscribe(devices, to: "news")
        #expect(try await stage.subscriptionEnds() == 600)
        let ended = try await stage.subscriptions.unsubscribe(devices, from: "news")
        #expect(ended == Array(repeating: true, count: 300))
        #expect(try await stage.subscriptionEnds() == 0)
    }

    @Test("All topics of a registration are read in pages, in order, and those of others are not", arguments: [4, 5])
    func allTopics(count: Int) async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(2)
        let topics = (0..<count).map { "topic-\($0)" }
        for topic in topics { try await stage.subscriptions.subscribe([devices[0]], to: topic) }
        try await stage.subscriptions.subscribe([devices[1]], to: "other")
        let found = try await stage.subscriptions.allSubscriptions(of: devices[0], pageSize: 2)
        #expect(found.map(\.topic) == topics)
    }
}
