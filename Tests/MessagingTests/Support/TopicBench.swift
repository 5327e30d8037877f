import DocumentStore
import Synchronization
import TestDoubles
import Testing

@testable import Messaging

/// Registrations and topics over a real store, with a dispatcher whose transport is scripted.
struct TopicBench {
    let bench: Bench
    let directory: RegistrationResolver
    let subscriptions: TopicSubscriptions
    let broadcaster: Broadcaster

    init(
        _ transport: ScriptedTransport = ScriptedTransport(), on other: TopicBench? = nil,
        membership: TestMembership? = nil
    ) throws {
        bench = try Bench(transport, on: other?.bench, membership: membership)
        let clock = bench.clock
        directory = RegistrationResolver(
            store: bench.store, key: RegistrationTokenKey(Array(repeating: 1, count: 32)), foreignTokens: .accept,
            now: { clock.timestamp })
        subscriptions = TopicSubscriptions(store: bench.store, now: { clock.timestamp })
        broadcaster = Broadcaster(
            store: bench.store, outbox: bench.outbox, clock: clock, logger: bench.log.logger)
    }

    /// Registers new devices.
    func devices(_ count: Int, first: Int = 0) async throws -> [Registration] {
        let tokens = (first..<first + count).map { format(0xA000_0000 + $0) }
        var registrations: [Registration] = []
        for token in try await directory.importTokens(
            tokens, of: .apns, for: AppIdentity(bundleID: "com.example.app", environment: "sandbox"))
        {
            registrations.append(try await directory.registration(of: try #require(token)).get())
        }
        return registrations
    }

    /// Returns the number of subscription documents, two per subscription.
    func subscriptionEnds() async throws -> Int {
        var count = 0
        for collection in [RegistrationDocuments.topicSubscriptions, RegistrationDocuments.subscriptions] {
            count += try await bench.disk.documents.count(.collectionGroup(collection))
        }
        return count
    }

    private func format(_ number: Int) -> String { String(repeating: "0", count: 24) + String(number, radix: 16) }

    /// Runs broadcaster and dispatcher for the duration of the body.
    func running(_ body: () async throws -> Void) async throws {
        try await broadcaster.running { try await bench.running(body) }
    }

    /// Makes storing a page fail as on a full disk, except for the first `count` pages.
    ///
    /// - Returns: a function that returns the number of pages so far.
    func failPages(after count: Int) -> @Sendable () -> Int {
        let pages = Mutex(0)
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.collection.id == Broadcast.collection }) else { return }
                let page = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                if page > count { throw .diskFull }
            }
        }
        return { pages.withLock(\.self) }
    }

    /// Sends to a condition, and returns the device token of every notification sent.
    func recipients(of condition: String) async throws -> [String] {
        let id = try await broadcaster.accept(.sample(), to: try Condition(parsing: condition))
        try await ended(id)
        return bench.transport.sent.filter { $0.message.condition == condition }.map(\.token)
    }

    /// Waits until a message has been cut into chunks and sent.
    func ended(_ id: String) async throws {
        let path = try CollectionPath(Broadcast.collection).document(id)
        try await eventually("the message is cut into chunks") {
            try await bench.disk.documents.document(at: path) == nil
        }
        try await eventually("the message settles") { try await bench.isSettled(id) }
    }
}

extension [Registration] {
    var deviceTokens: Set<String> { Set(map(\.address.token.value)) }
}
