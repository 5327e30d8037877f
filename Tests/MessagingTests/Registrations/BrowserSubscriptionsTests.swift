import Cryptography
import JSON
import Synchronization
import TestDoubles
import Testing

@testable import DocumentStore
@testable import Messaging

@Suite("Subscriptions of browsers that end", .timeLimit(.minutes(10)))
struct BrowserSubscriptionsTests {
    private static func phone(_ endpoint: String) -> String { "phones/\(SHA256.hexadecimal(of: endpoint))" }

    @Test("A replacement moves all registrations of the former subscription in one commit, and no others")
    func move() async throws {
        let stage = try SubscriptionStage()
        let (old, other) = (try stage.subscription("old"), try stage.subscription("other"))
        for path in ["servers/a/devices/1", "servers/a/devices/2", "servers/b/devices/1", Self.phone("old")] {
            _ = try await stage.register(path, old)
        }
        _ = try await stage.register("servers/a/devices/3", other)
        // Another key at the same endpoint is another subscription.
        let stranger = try stage.subscriptions.subscription(["endpoint": "old", "auth": "another key"])
        _ = try await stage.register("servers/c/devices/1", stranger)

        let commits = Mutex(0)
        stage.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in commits.withLock { $0 += 1 } }
        }
        stage.clock.advance(by: .seconds(5))
        let new = try stage.subscription("new", replacing: "old")
        #expect(try await stage.register("servers/a/devices/1", new) == nil)
        #expect(commits.withLock { $0 } == 1)
        for path in ["servers/a/devices/1", "servers/a/devices/2", "servers/b/devices/1", Self.phone("new")] {
            let document = try #require(try await stage.document(path), "\(path)")
            #expect(try await stage.endpoint(at: path) == "new", "\(path)")
            #expect(document["addressAttributes"]?.map?["auth"]?.string == "key of new")
            #expect(document["platform"] == "web" && document["updatedAt"] == .timestamp(stage.clock.timestamp))
        }
        #expect(try await stage.document(Self.phone("old")) == nil)
        #expect(try await stage.endpoint(at: "servers/a/devices/3") == "other")
        #expect(try await stage.endpoint(at: "servers/c/devices/1") == "old")
    }

    @Test("A client that knows the endpoint alone, or another key, moves nothing but its own registration")
    func unknownKey() async throws {
        let stage = try SubscriptionStage()
        _ = try await stage.register("servers/a/devices/1", try stage.subscription("old"))
        let guess = try stage.subscription("new", replacing: ["endpoint": "old", "auth": "guess"])
        _ = try await stage.register("servers/b/devices/1", guess)
        #expect(try await stage.endpoint(at: "servers/a/devices/1") == "old")
        #expect(throws: SubscriptionRefusal.self) { try stage.subscription("new", replacing: .string("old")) }
    }

    @Test("A registration that changes during a move is moved as it is then, and others with it")
    func conflict() async throws {
        let stage = try SubscriptionStage()
        for path in ["servers/a/devices/1", "servers/b/devices/1"] {
            _ = try await stage.register(path, try stage.subscription("old"))
        }
        let disk = stage.disk
        let count = Mutex(0)
        let path = try DocumentPath("servers/b/devices/1")
        stage.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { _ = try await disk.documents.commit([.merge(path, ["platform": "tablet"])]) }
            }
        }
        stage.clock.advance(by: .seconds(1))
        let new = try stage.subscription("new", replacing: "old")
        _ = try await stage.register("servers/a/devices/2", new)
        #expect(count.withLock { $0 } == 2)
        for path in ["servers/a/devices/1", "servers/a/devices/2", "servers/b/devices/1"] {
            #expect(try await stage.endpoint(at: path) == "new")
        }
        #expect(try await stage.document("servers/b/devices/1")?["platform"] == "tablet")
    }

    @Test("A failed move changes nothing")
    func failure() async throws {
        let stage = try SubscriptionStage()
        _ = try await stage.register("servers/a/devices/1", try stage.subscription("old"))
        stage.store.set { hooks in hooks.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        let new = try stage.subscription("new", replacing: "old")
        await #expect(throws: StoreError.self) { try await stage.register("servers/a/devices/2", new) }
        #expect(try await stage.endpoint(at: "servers/a/devices/1") == "old")
        #expect(try await stage.document("servers/a/devices/2") == nil)
    }

    @Test("More registrations than fit into a commit are all moved")
    func many() async throws {
        let stage = try SubscriptionStage()
        let fields = SubscriptionStage.collections[0].fields.fields(of: try stage.subscription("old").address)
        let paths = try (0..<2_100).map { try DocumentPath("servers/a/devices/\($0)") }
        _ = try await stage.disk.documents.commit(paths.map { .set($0, fields) })
        _ = try await stage.register("servers/b/devices/1", try stage.subscription("new", replacing: "old"))
        let moved = try await stage.disk.documents.documents(matching: .collectionGroup("devices"))
        #expect(moved.count == 2_101 && moved.allSatisfy { $0["fcmToken"]?.string == "new" })
    }

    @Test("The removal of a subscription is told once, to the next registration in its place")
    func removal() async throws {
        let stage = try SubscriptionStage()
        let path = "servers/a/devices/1"
        #expect(try await stage.register(path, try stage.subscription("old")) == nil)
        let removedAt = stage.clock.timestamp
        #expect(try await stage.remove(path) == 1)
        stage.clock.advance(by: .seconds(60))
        #expect(try await stage.register("servers/a/devices/2", try stage.subscription("new")) == nil)
        #expect(try await stage.register(path, try stage.subscription("new")) == removedAt)
        #expect(try await stage.register(path, try stage.subscription("new")) == nil)
    }

    @Test("The removal of a subscription is told to the one that replaces it, in whatever place")
    func removalOfFormer() async throws {
        let stage = try SubscriptionStage()
        _ = try await stage.register(Self.phone("old"), try stage.subscription("old"))
        let removedAt = stage.clock.timestamp
        #expect(try await stage.remove(Self.phone("old")) == 1)
        stage.clock.advance(by: .seconds(60))
        let guess = try stage.subscription("new", replacing: ["endpoint": "old", "auth": "guess"])
        #expect(try await stage.register(Self.phone("new"), guess) == nil)
        let new = try stage.subscription("new", replacing: "old")
        #expect(try await stage.register(Self.phone("new"), new) == removedAt)
    }

    @Test("An answer about secrets that a device has replaced leaves its registration")
    func replacedSecrets() async throws {
        let stage = try SubscriptionStage()
        let path = "servers/a/devices/1"
        func address(_ secret: String) throws -> RegisteredSubscription {
            try stage.subscriptions.subscription(["endpoint": "a", "auth": .string(secret)])
        }
        let former = try address("former").address
        _ = try await stage.register(path, try address("present"))
        let clock = stage.clock
        let pruner = RegistrationPruner(
            store: stage.store, now: { clock.timestamp }, logger: stage.log.logger)
        let fields = SubscriptionStage.collections[0].fields
        func remove(_ address: PushAddress) async throws -> Int {
            let target = Target(address: address, registration: try DocumentPath(path))
            return try await pruner.remove([(target, .unregistered(since: nil))], fields)
        }
        #expect(try await remove(former) == 0)
        #expect(try await stage.document(path) != nil)
        #expect(try await remove(try address("present").address) == 1)
    }

    @Test("The removal of a registration without secret attributes leaves no record")
    func removalOfToken() async throws {
        let stage = try SubscriptionStage()
        let path = try DocumentPath("servers/a/devices/1")
        let fields = SubscriptionStage.collections[0].fields.fields(of: PushAddress(token: "emulated:a"))
        #expect(fields[RegistrationFields.digest] == nil)
        _ = try await stage.disk.documents.commit([.set(path, fields)])
        #expect(try await stage.remove("servers/a/devices/1") == 1)
        #expect(try await stage.disk.documents.collectionIDs(below: nil).isEmpty)
    }

    @Test("Removals are forgotten after 90 days")
    func sweep() async throws {
        let stage = try SubscriptionStage()
        for number in 1...2 {
            _ = try await stage.register("servers/a/devices/\(number)", try stage.subscription("\(number)"))
            _ = try await stage.remove("servers/a/devices/\(number)")
            stage.clock.advance(by: .seconds(50 * 86_400))
        }
        try await RemovedSubscriptions(store: stage.store).sweep(at: stage.clock.timestamp)
        #expect(try await stage.register("servers/a/devices/1", try stage.subscription("new")) == nil)
        #expect(try await stage.register("servers/a/devices/2", try stage.subscription("new")) != nil)
    }

    @Test("The registrations of a subscription, and old removals, are found by indexes")
    func plans() async throws {
        let stage = try SubscriptionStage()
        for collection in SubscriptionStage.collections + [.registrations] {
            for query in [collection.query("a"), collection.ofBrowsers] {
                let plan = try await stage.disk.engine.plan(
                    of: query.limited(to: 10), in: stage.disk.documents.database)
                #expect(plan.contains { $0.contains("documents_by_value") }, "\(plan)")
            }
        }
        let seen = Mutex<[Query]>([])
        stage.store.set { hooks in
            hooks.beforeQuery = { query throws(StoreError) in seen.withLock { $0.append(query) } }
        }
        try await RemovedSubscriptions(store: stage.store).sweep(at: stage.clock.timestamp)
        let query = try #require(seen.withLock { $0.first })
        let plan = try await stage.disk.engine.plan(of: query, in: stage.disk.documents.database)
        #expect(plan.contains { $0.contains("documents_by_value") }, "\(plan)")
    }

    // MARK: Registration tokens

    private func token(
        of subscription: RegisteredSubscription, at stage: SubscriptionStage
    ) async throws -> RegistrationToken {
        try await stage.resolver.token(of: subscription, among: stage.subscriptions) {}.token
    }

    @Test("A replaced subscription keeps its registration token and its topics, and so does the one after it")
    func tokenOfReplaced() async throws {
        let stage = try SubscriptionStage()
        let clock = stage.clock
        let token = try await token(of: try stage.subscription("1"), at: stage)
        let topics = TopicSubscriptions(store: stage.store, now: { clock.timestamp })
        try await topics.subscribe([try await stage.resolver.registration(of: token).get()], to: "news")
        for number in 2...3 {
            let next = try stage.subscription("\(number)", replacing: "\(number - 1)")
            #expect(try await self.token(of: next, at: stage) == token)
            #expect(try await self.token(of: try stage.subscription("\(number)"), at: stage) == token)
            let registration = try await stage.resolver.registration(of: token).get()
            #expect(registration.address == next.address)
            #expect(try await topics.allSubscriptions(of: registration).map(\.topic) == ["news"])
        }
        // The first one was replaced, so it is a new one if it comes back.
        let back = try await self.token(of: try stage.subscription("1"), at: stage)
        #expect(back != token)
        #expect(try await self.token(of: try stage.subscription("1"), at: stage) == back)
        #expect(try await stage.resolver.registration(of: token).get().address.token.value == "3")
    }

    @Test("A replacement in a system moves the registration token too, and one for FCM moves the systems' devices")
    func tokenAndDevice() async throws {
        let stage = try SubscriptionStage()
        let token = try await token(of: try stage.subscription("1"), at: stage)
        _ = try await stage.register("servers/a/devices/1", try stage.subscription("1"))
        _ = try await stage.register("servers/a/devices/1", try stage.subscription("2", replacing: "1"))
        #expect(try await stage.resolver.registration(of: token).get().address.token.value == "2")
        let next = try stage.subscription("3", replacing: "2")
        #expect(try await self.token(of: next, at: stage) == token)
        #expect(try await stage.endpoint(at: "servers/a/devices/1") == "3")
    }

    @Test("Only a new registration is admitted, and a refusal stores nothing")
    func admission() async throws {
        struct Refused: Error {}
        let stage = try SubscriptionStage()
        await #expect(throws: Refused.self) {
            _ = try await stage.resolver.token(of: try stage.subscription("1"), among: stage.subscriptions) {
                throw Refused()
            }
        }
        #expect(try await stage.disk.documents.collectionIDs(below: nil).isEmpty)
        _ = try await token(of: try stage.subscription("1"), at: stage)
        for subscription in [try stage.subscription("1"), try stage.subscription("2", replacing: "1")] {
            _ = try await stage.resolver.token(of: subscription, among: stage.subscriptions) { throw Refused() }
        }
    }

    @Test("The end of a registered subscription is told to the one that replaces it, with a token of its own")
    func removalOfRegistration() async throws {
        let stage = try SubscriptionStage()
        let token = try await token(of: try stage.subscription("1"), at: stage)
        let fid = try await stage.resolver.registration(of: token).get().fid
        let removedAt = stage.clock.timestamp
        #expect(try await stage.remove("registrations/\(fid)") == 1)
        stage.clock.advance(by: .seconds(60))
        let next = try stage.subscription("2", replacing: "1")
        let answer = try await stage.resolver.token(of: next, among: stage.subscriptions) {}
        #expect(answer.token != token && answer.formerRemovedAt == removedAt)
        #expect(try await stage.resolver.registration(of: token) == .failure(.unregistered))
    }

    @Test("A subscription that is registered by several clients at the same moment gets one token")
    func concurrent() async throws {
        let stage = try SubscriptionStage()
        let subscription = try stage.subscription("1")
        let count = Mutex(0)
        stage.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                let isFirst = count.withLock { count in
                    count += 1
                    return count == 1
                }
                // Another client is faster.
                if isFirst { _ = try await stage.disk.documents.commit(writes) }
            }
        }
        let token = try await token(of: subscription, at: stage)
        #expect(count.withLock { $0 } == 2)
        #expect(try await self.token(of: subscription, at: stage) == token)
        #expect(try await stage.disk.documents.documents(matching: .collectionGroup("registrations")).count == 1)
    }
}
