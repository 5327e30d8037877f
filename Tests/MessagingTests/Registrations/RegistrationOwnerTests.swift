import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

@Suite("Owners of registration tokens", .timeLimit(.minutes(10)))
struct RegistrationOwnerTests {
    private let stage: SubscriptionStage
    private let first: RegistrationOwner
    private let second: RegistrationOwner

    init() throws {
        stage = try SubscriptionStage()
        first = RegistrationOwner(at: try DocumentPath("owners/1"))
        second = RegistrationOwner(at: try DocumentPath("owners/2"))
    }

    /// Stores the documents of the owners.
    private func beginOwners() async throws {
        _ = try await stage.disk.documents.commit([first, second].map { .create($0.path, ["name": "a"]) })
    }

    private func register(
        _ endpoint: String, replacing former: String? = nil, by owner: RegistrationOwner?
    ) async throws -> RegistrationToken {
        let subscription =
            if let former {
                try stage.subscription(endpoint, replacing: former)
            } else {
                try stage.subscription(endpoint)
            }
        return try await stage.resolver.token(of: subscription, among: stage.subscriptions, ownedBy: owner) {}.token
    }

    /// Removes an owner with what belongs to it, and returns the number of writes.
    private func end(_ owner: RegistrationOwner) async throws -> Int {
        let document = try #require(try await stage.store.document(at: owner.path))
        let writes = try await RegistrationOwner.writes(ending: document, in: stage.store)
        _ = try await stage.store.commit([.delete(owner.path)] + writes)
        return writes.count
    }

    private func isKnown(_ token: RegistrationToken) async throws -> Bool {
        try await stage.resolver.registration(of: token) != .failure(.unregistered)
    }

    @Test("A token ends with its owner and with its topics, and others stay")
    func end() async throws {
        try await beginOwners()
        let (token, other) = (
            try await register("1", by: first), try await register("2", by: second)
        )
        let clock = stage.clock
        let topics = TopicSubscriptions(store: stage.store, now: { clock.timestamp })
        let registrations = try await stage.resolver.registrations(of: [token, other]).map { try $0.get() }
        try await topics.subscribe(registrations, to: "news")
        #expect(try await end(first) == 3)
        #expect(try await !isKnown(token))
        #expect(try await isKnown(other))
        let ends = try await stage.disk.documents.documents(matching: .collectionGroup("subscriptions"))
        #expect(ends.map(\.path.id) == [registrations[1].fid])
        #expect(try await stage.document("owners/2")?["name"] == "a")
    }

    @Test("An owner has one registration: the next one ends it, unless it is for the subscription that replaces it")
    func next() async throws {
        try await beginOwners()
        let token = try await register("1", by: first)
        #expect(try await register("1", by: first) == token)
        #expect(try await register("2", replacing: "1", by: first) == token)
        let next = try await register("3", by: first)
        #expect(next != token)
        #expect(try await !isKnown(token))
        #expect(try await end(first) == 1)
        #expect(try await !isKnown(next))
    }

    @Test("An owner's registration ends too if the subscription that replaces it has a token already")
    func known() async throws {
        try await beginOwners()
        let (former, known) = (try await register("1", by: first), try await register("2", by: nil))
        #expect(try await register("2", replacing: "1", by: first) == known)
        #expect(try await !isKnown(former))
    }

    @Test("Of two registrations that an owner makes at once, one is left, and ends with it")
    func atOnce() async throws {
        try await beginOwners()
        let gate = Gate()
        stage.store.set { hooks in hooks.beforeCommit = { _ throws(StoreError) in await gate.pass() } }
        async let one = register("1", by: first)
        async let two = register("2", by: first)
        try await eventually("both wait to commit") { gate.waiting == 2 }
        gate.open()
        let tokens = [try await one, try await two]
        #expect(try await [isKnown(tokens[0]), isKnown(tokens[1])].count { $0 } == 1)
        #expect(try await end(first) == 1)
        #expect(try await stage.disk.documents.documents(matching: .collectionGroup("registrations")).isEmpty)
    }

    @Test("A registration belongs to the client that has made it last", arguments: [false, true])
    func lastClient(hasOwner: Bool) async throws {
        try await beginOwners()
        let token = try await register("1", by: first)
        #expect(try await register("1", by: hasOwner ? second : nil) == token)
        #expect(try await end(first) == 0)
        #expect(try await isKnown(token))
        #expect(try await end(second) == (hasOwner ? 1 : 0))
        #expect(try await isKnown(token) == !hasOwner)
    }

    @Test("An owner that knows the endpoint of another's registration, and not its keys, gets a token of its own")
    func otherKeys() async throws {
        try await beginOwners()
        let token = try await register("1", by: second)
        let guess = try stage.subscriptions.subscription(["endpoint": "1", "auth": "guess"])
        var own: [RegistrationToken] = []
        for _ in 1...2 {
            own.append(
                try await stage.resolver.token(of: guess, among: stage.subscriptions, ownedBy: first) {}.token)
        }
        #expect(own[0] == own[1] && own[0] != token)
        let address = try stage.subscription("1").address
        #expect(try await stage.resolver.registration(of: token).get().address == address)
        #expect(try await end(second) == 1)
        #expect(try await isKnown(own[0]))
        #expect(try await end(first) == 1)
    }

    @Test("New keys at the endpoint of an owner's own registration keep its token")
    func newKeys() async throws {
        try await beginOwners()
        let token = try await register("1", by: first)
        let renewed = try stage.subscriptions.subscription(["endpoint": "1", "auth": "new"])
        let same = try await stage.resolver.token(of: renewed, among: stage.subscriptions, ownedBy: first) {}.token
        #expect(same == token)
        #expect(try await stage.resolver.registration(of: token).get().address == renewed.address)
    }

    @Test("An owner that has ended gets no token, and one that ends meanwhile stores none")
    func ended() async throws {
        await #expect(throws: RegistrationOwner.Ended.self) { try await register("1", by: first) }
        try await beginOwners()
        let (disk, path) = (stage.disk, first.path)
        stage.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in _ = try await disk.documents.commit([.delete(path)]) }
        }
        await #expect(throws: RegistrationOwner.Ended.self) { try await register("1", by: first) }
        #expect(try await disk.documents.collectionIDs(below: nil) == ["owners"])
    }

    @Test("A registration that changes while its owner ends is not removed as it was")
    func changed() async throws {
        try await beginOwners()
        let token = try await register("1", by: first)
        let document = try #require(try await stage.store.document(at: first.path))
        let writes = try await RegistrationOwner.writes(ending: document, in: stage.store)
        stage.clock.advance(by: .seconds(1))
        #expect(try await register("1", by: nil) == token)
        await #expect(throws: StoreError.self) { try await stage.store.commit(writes) }
        #expect(try await isKnown(token))
    }

    @Test("An owner removes its own registration by its token, and no other")
    func removal() async throws {
        try await beginOwners()
        let (token, other) = (try await register("1", by: first), try await register("2", by: nil))
        #expect(try await !stage.resolver.removeSubscription(of: token, ownedBy: second))
        #expect(try await !stage.resolver.removeSubscription(of: other, ownedBy: first))
        #expect(try await stage.resolver.removeSubscription(of: token, ownedBy: first))
        #expect(try await !isKnown(token))
        #expect(try await stage.resolver.removeSubscription(of: other))
    }

    // MARK: The use

    /// The first owner, whose use is recorded.
    private var used: RegistrationOwner {
        RegistrationOwner(at: first.path, use: [.update(first.path, ["used": true])])
    }

    @Test("A use of an owner is recorded in the commit that stores its registration, and in the one that removes it")
    func use() async throws {
        try await beginOwners()
        let token = try await register("1", by: used)
        #expect(try await stage.document("owners/1")?["used"] == true)
        _ = try await stage.disk.documents.commit([.update(first.path, ["used": false])])
        #expect(try await stage.resolver.removeSubscription(of: token, ownedBy: used))
        #expect(try await stage.document("owners/1")?["used"] == true)
        #expect(try await !isKnown(token))
    }

    @Test("An owner that ends while it removes its registration is told so, and removes nothing else")
    func removalMeanwhile() async throws {
        try await beginOwners()
        let token = try await register("1", by: used)
        let other = try await register("2", by: second)
        let document = try #require(try await stage.store.document(at: first.path))
        let end: [Write] = try await [.delete(first.path)] + RegistrationOwner.writes(ending: document, in: stage.store)
        let disk = stage.disk
        stage.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in _ = try await disk.documents.commit(end) }
        }
        await #expect(throws: RegistrationOwner.Ended.self) {
            try await stage.resolver.removeSubscription(of: token, ownedBy: used)
        }
        #expect(try await !isKnown(token))
        #expect(try await isKnown(other))
    }
}
