import PushgateClient
import Testing

@Suite("Order of the user's requests", .timeLimit(.minutes(10)))
struct IntentTests {
    private func stage() async throws -> Stage {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        return stage
    }

    @Test("A chat opened while the servers could not be read is registered later")
    func unreadable() async throws {
        let stage = try await stage()
        stage.directory.set(nil)
        await #expect(throws: PushClientError.serversUnreadable) {
            try await stage.phone.subscribe(to: .one("/srv/app"), displayName: "App")
        }
        #expect(try await stage.phone.subscriptions().map(\.chat) == [.one("/srv/app")])
        stage.directory.set(["one", "two"].compactMap { Stage.server($0) })
        #expect(try await stage.phone.registerPending().registered == [.one("/srv/app")])
        #expect(await stage.gateway.calls.first?.fields["agent_display_name"] == "App")
    }

    @Test("An unsubscription wins over an earlier opening that reads the servers more slowly")
    func overtaken() async throws {
        let stage = try await stage()
        stage.directory.hold(1)
        async let opening = stage.phone.subscribe(to: .one("/srv/app"))
        await stage.directory.isHolding(1)
        try await stage.phone.unsubscribe(from: .one("/srv/app"))
        stage.directory.releaseLast()
        #expect(try await opening == .unchanged)
        #expect(try await stage.phone.subscriptions().isEmpty)
        #expect(await stage.gateway.calls.last?.function == "unregisterSubscription")
    }

    @Test("The later of two openings wins, even if it continues first")
    func reversed() async throws {
        let stage = try await stage()
        stage.directory.hold(2)
        async let older = stage.phone.subscribe(to: .one("/srv/app"), displayName: "Older")
        await stage.directory.isHolding(1)
        async let newer = stage.phone.subscribe(to: .one("/srv/app"), displayName: "Newer")
        await stage.directory.isHolding(2)
        stage.directory.releaseLast()
        #expect(try await newer == .registered)
        stage.directory.releaseLast()
        #expect(try await older == .unchanged)
        #expect(try await stage.phone.subscriptions().map(\.displayName) == ["Newer"])
        #expect(await stage.gateway.calls.map { $0.fields["agent_display_name"] } == ["Newer"])
    }
}
