import PushgateClient
import Testing

/// A gateway identifies a server by its secret.
@Suite("Server that the app knows under two ids", .timeLimit(.minutes(10)))
struct TwinTests {
    private static func again(_ cwd: String) -> Chat { Chat(serverID: "again", cwd: cwd) }

    private func stage() async throws -> Stage {
        let stage = try Stage()
        stage.directory.set([
            try #require(Stage.server("one")), try #require(Stage.server("one", as: "again")),
            try #require(Stage.server("two")),
        ])
        try await stage.phone.tokenDidChange(to: "t0ken")
        for chat in [Chat.one("/srv/app"), .one("/srv/web"), Self.again("/srv/app"), Self.again("/srv/own")] {
            try await stage.phone.subscribe(to: chat)
        }
        await stage.gateway.forgetCalls()
        return stage
    }

    @Test("A chat left under one of two ids stays subscribed under the other")
    func chat() async throws {
        let stage = try await stage()
        try await stage.phone.unsubscribe(from: Self.again("/srv/app"))
        #expect(await stage.gateway.calls.isEmpty)
        #expect(try await !stage.phone.subscriptions().map(\.chat).contains(Self.again("/srv/app")))
        try await stage.phone.unsubscribe(from: .one("/srv/app"))
        #expect(await stage.gateway.calls.map(\.function) == ["unregisterSubscription"])
        try await stage.phone.unsubscribe(from: Self.again("/srv/own"))
        #expect(await stage.gateway.calls.map(\.cwd) == ["/srv/app", "/srv/own"])
    }

    @Test("A server left under one of two ids is registered again for the chats of the other")
    func server() async throws {
        let stage = try await stage()
        try await stage.phone.unsubscribe(fromServer: "again")
        let calls = await stage.gateway.calls
        #expect(calls.map(\.cwd) == [nil, "/srv/app", "/srv/web"])
        #expect(
            calls.map(\.function) == ["unregisterSubscription", "registerSubscription", "registerSubscription"])
        #expect(try await stage.phone.registerPending() == ReplayReport())
    }

    @Test("Two ids of one server send one request at a time")
    func turns() async throws {
        let stage = try await stage()
        await stage.gateway.hold()
        async let one = stage.phone.subscribe(to: .one("/srv/new"))
        await stage.gateway.arrived(1)
        async let again = stage.phone.unsubscribe(from: Self.again("/srv/own"))
        await stage.directory.wasRead(12)
        #expect(await stage.gateway.calls.count == 1)
        await stage.gateway.release()
        _ = try await (one, again)
        #expect(await stage.gateway.calls.map(\.cwd) == ["/srv/new", "/srv/own"])
    }
}
