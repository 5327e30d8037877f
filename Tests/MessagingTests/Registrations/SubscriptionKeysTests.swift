import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Keys of browsers' subscriptions", .timeLimit(.minutes(10)))
struct SubscriptionKeysTests {
    private let stage: SubscriptionStage
    private let keys: SubscriptionKeys

    init() throws {
        stage = try SubscriptionStage()
        keys = SubscriptionKeys(of: stage.subscriptions, for: SubscriptionStage.service)
    }

    private func register() async throws {
        _ = try await stage.register("servers/a/devices/1", try stage.subscription("1"))
    }

    private func note(_ key: String, isNew: Bool) async throws -> Bool? {
        let isReplacement = try await keys.isReplacement(key, isNew: isNew)
        if let isReplacement { try await keys.note(key, hasReplaced: isReplacement, at: stage.clock.timestamp) }
        return isReplacement
    }

    @Test("The first key replaces none, whatever follows")
    func first() async throws {
        #expect(try await note("a", isNew: true) == false)
        try await register()
        #expect(try await note("a", isNew: false) == nil)
        #expect(try await keys.replacementTime(of: "a") == nil)
    }

    @Test("A key replaces none if only subscriptions of another push service are registered")
    func otherService() async throws {
        try await register()
        let keys = SubscriptionKeys(of: stage.subscriptions, for: TransportName(rawValue: "third"))
        #expect(try await keys.isReplacement("a", isNew: true) == false)
    }

    @Test("A key that is made although browsers are registered replaces theirs, and is told once")
    func lost() async throws {
        try await register()
        #expect(try await note("a", isNew: true) == true)
        #expect(try await note("a", isNew: false) == nil)
        #expect(try await keys.replacementTime(of: "a") == stage.clock.timestamp)
    }

    @Test("The key of a gateway that has noted none is the one of its browsers, if it was not made just now")
    func earlierVersion() async throws {
        try await register()
        #expect(try await note("a", isNew: false) == false)
    }

    @Test("Another configured key replaces that of the browsers, and a return to the former one replaces none")
    func configured() async throws {
        #expect(try await note("a", isNew: true) == false)
        #expect(try await note("b", isNew: false) == false)
        try await register()
        stage.clock.advance(by: .seconds(1))
        #expect(try await note("c", isNew: false) == true)
        #expect(try await note("a", isNew: false) == nil)
        #expect(try await keys.replacementTime(of: "a") == nil)
    }

    @Test("The former key of a gateway that had noted none replaces no other when it is imported; a further one does")
    func formerOfEarlierVersion() async throws {
        try await register()
        #expect(try await note("new", isNew: true) == true)
        #expect(try await note("former", isNew: false) == false)
        #expect(try await keys.replacementTime(of: "former") == nil)
        #expect(try await note("other", isNew: false) == true)
    }

    @Test(
        "A key that one of several gateways has made replaces that of the browsers, whichever of them notes it first",
        arguments: [false, true])
    func several(isMakerFirst: Bool) async throws {
        try await register()
        let time = stage.clock.timestamp
        // The other gateway gets the key from the database, which has no note of any yet.
        #expect(try await keys.isReplacement("a", isNew: false) == false)
        if isMakerFirst {
            #expect(try await note("a", isNew: true) == true)
            try await keys.note("a", hasReplaced: false, at: time)
        } else {
            try await keys.note("a", hasReplaced: false, at: time)
            #expect(try await note("a", isNew: true) == true)
        }
        #expect(try await keys.replacementTime(of: "a") == time)
    }

    @Test("A phone is no browser")
    func phone() async throws {
        let fields = SubscriptionStage.collections[0].fields.fields(of: PushAddress(token: "emulated:a"))
        _ = try await stage.disk.documents.commit([.set(try DocumentPath("servers/a/devices/1"), fields)])
        #expect(try await note("a", isNew: true) == false)
    }
}
