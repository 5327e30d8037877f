import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

@Suite("Removing registrations with their subscriptions", .timeLimit(.minutes(10)))
struct StoredRegistrationsTests {
    private func document(of registration: Registration, on stage: TopicBench) async throws -> Document {
        let path = try RegistrationDocuments.registration(registration.fid)
        return try #require(try await stage.bench.disk.documents.document(at: path))
    }

    @Test("An unregistered token loses all its topics at both ends, and others keep theirs")
    func dead() async throws {
        let stage = try TopicBench(ScriptedTransport { $0.token.hasSuffix("0") ? .dead : .accepted })
        let devices = try await stage.devices(3)
        for topic in ["a", "b", "never-sent-to"] { try await stage.subscriptions.subscribe(devices, to: topic) }
        let targets = try devices.map { try $0.target }
        try await stage.bench.running {
            let draft = Draft(
                message: .sample(), source: "test", registrationFields: RegistrationResolver.registrationFields)
            let delivery = try await stage.bench.outbox.accept(draft, to: targets)
            try await eventually("the outcome is counted") { delivery.progress.pending == 0 }
            #expect(delivery.progress.pruned == 1)
        }
        #expect(try await stage.subscriptionEnds() == 2 * 3 * 2)
        let left = try await stage.subscriptions.subscriptions(of: devices[1], limit: 10)
        #expect(left.map(\.topic) == ["a", "b", "never-sent-to"])
    }

    @Test("A registration with 450 topics is removed in commits of limited size")
    func manyTopics() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(1)
        let ends = try (0..<450).flatMap { try RegistrationDocuments.ends(of: devices[0].fid, "topic-\($0)") }
        _ = try await stage.bench.disk.documents.commit(ends.map { .set($0, [:]) })
        let document = try await document(of: devices[0], on: stage)
        let sizes = Mutex<[Int]>([])
        stage.bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in sizes.withLock { $0.append(writes.count) } }
        }
        #expect(try await RegistrationStore(store: stage.bench.store).remove([document]) == 1)
        #expect(try await stage.subscriptionEnds() == 0)
        #expect(sizes.withLock { $0 } == [401, 401, 101])
    }

    @Test("A registration imported again during the removal stays with its topics, and others go")
    func renewed() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(3)
        try await stage.subscriptions.subscribe(devices, to: "news")
        var documents: [Document] = []
        for device in devices { documents.append(try await document(of: device, on: stage)) }
        stage.bench.clock.advance(by: .seconds(1))
        let again = try await stage.devices(1, first: 1)
        #expect(again == [devices[1]])
        #expect(try await RegistrationStore(store: stage.bench.store).remove(documents) == 2)
        #expect(try await stage.subscriptionEnds() == 2)
        #expect(try await stage.subscriptions.subscription(of: devices[1], to: "news") != nil)
    }

    @Test("A void subscription that was renewed meanwhile stays")
    func void() async throws {
        let stage = try TopicBench()
        let devices = try await stage.devices(2)
        try await stage.subscriptions.subscribe(devices, to: "news")
        let subscribers = try RegistrationDocuments.subscribers(of: "news")
        let read = try await stage.bench.disk.documents.documents(matching: .collection(subscribers))
        stage.bench.clock.advance(by: .seconds(1))
        try await stage.subscriptions.unsubscribe([devices[0]], from: "news")
        try await stage.subscriptions.subscribe([devices[0]], to: "news")
        try await RegistrationStore(store: stage.bench.store).removeVoid(read)
        #expect(try await stage.subscriptionEnds() == 2)
        #expect(try await stage.subscriptions.subscription(of: devices[0], to: "news") != nil)
    }
}
