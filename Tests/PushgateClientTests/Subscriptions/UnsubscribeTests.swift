import PushgateClient
import Testing

@Suite("Unsubscribing")
struct UnsubscribeTests {
    private func stage() async throws -> Stage {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        for chat in [Chat.one("/srv/a"), .one("/srv/b"), .two("/srv/a")] { try await stage.phone.subscribe(to: chat) }
        await stage.gateway.forgetCalls()
        return stage
    }

    @Test("from a chat names its folder, and takes it off the list")
    func chat() async throws {
        let stage = try await stage()
        try await stage.phone.unsubscribe(from: .one("/srv/a"))
        let calls = await stage.gateway.calls
        let id = try await stage.phone.installationID()
        #expect(calls.map(\.url) == ["https://one.example.com/push/unregisterSubscription"])
        #expect(calls.map(\.fields) == [["cwd": "/srv/a", "installation_id": id]])
        #expect(calls.map(\.secret) == [Stage.secrets["one"]])
        #expect(try await stage.phone.subscriptions().map(\.chat) == [.one("/srv/b"), .two("/srv/a")])
        #expect(try await stage.phone.tokenDidChange(to: "new").registered == [.one("/srv/b"), .two("/srv/a")])
    }

    @Test("from a server names no folder, and takes all its chats off the list")
    func server() async throws {
        let stage = try await stage()
        try await stage.phone.unsubscribe(fromServer: "one")
        let id = try await stage.phone.installationID()
        #expect(await stage.gateway.calls.map(\.fields) == [["installation_id": id]])
        #expect(try await stage.phone.subscriptions().map(\.chat) == [.two("/srv/a")])
    }

    @Test("needs no token")
    func withoutToken() async throws {
        let stage = try Stage(earlier: try await stage())
        try await stage.phone.unsubscribe(from: .one("/srv/a"))
        #expect(await stage.gateway.calls.map(\.function) == ["unregisterSubscription"])
    }

    @Test("is told at the next occasion when the gateway cannot be told now, also after a new launch")
    func later() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 503))
        await #expect(throws: PushClientError.unavailable(status: 503, retryAfter: nil)) {
            try await stage.phone.unsubscribe(from: .one("/srv/a"))
        }
        #expect(try await stage.phone.subscriptions().count == 2)
        let nextLaunch = try Stage(earlier: stage)
        try await nextLaunch.phone.registerPending()
        #expect(await nextLaunch.gateway.calls.map(\.cwd) == ["/srv/a"])
        try await nextLaunch.phone.registerPending()
        #expect(await nextLaunch.gateway.calls.count == 1)
    }

    @Test("is taken back by opening the chat again")
    func takenBack() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 503))
        _ = try? await stage.phone.unsubscribe(from: .one("/srv/a"))
        await stage.gateway.answer(GatewayResponse(status: 200))
        await stage.gateway.forgetCalls()
        #expect(try await stage.phone.subscribe(to: .one("/srv/a")) == .registered)
        #expect(await stage.gateway.calls.map(\.function) == ["registerSubscription"])
    }

    @Test("from a server comes before what is opened there afterwards")
    func serverFirst() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 503))
        _ = try? await stage.phone.unsubscribe(fromServer: "one")
        await stage.gateway.answer(GatewayResponse(status: 200))
        await stage.gateway.forgetCalls()
        #expect(try await stage.phone.subscribe(to: .one("/srv/a")) == .registered)
        #expect(await stage.gateway.calls.map(\.function) == ["unregisterSubscription", "registerSubscription"])
    }

    @Test("is given up where there is no such function, and holds nothing else up")
    func firstGeneration() async throws {
        let stage = try await stage()
        await stage.gateway.answer { GatewayResponse(status: $0.function == "registerSubscription" ? 200 : 404) }
        await #expect(throws: PushClientError.unexpectedAnswer(status: 404, code: nil)) {
            try await stage.phone.unsubscribe(from: .one("/srv/a"))
        }
        #expect(try await stage.phone.tokenDidChange(to: "new").registered == [.one("/srv/b"), .two("/srv/a")])
        #expect(await stage.gateway.calls.count { $0.function == "unregisterSubscription" } == 1)
    }

    @Test("from a server whose secret is gone tells nobody")
    func unknownServer() async throws {
        let stage = try await stage()
        stage.directory.set([])
        try await stage.phone.unsubscribe(fromServer: "one")
        #expect(await stage.gateway.calls.isEmpty)
        #expect(try await stage.phone.subscriptions().map(\.chat) == [.two("/srv/a")])
    }

    @Test("is not forgotten while the secrets cannot be read")
    func lockedKeychain() async throws {
        let stage = try await stage()
        stage.directory.set(nil)
        await #expect(throws: PushClientError.serversUnreadable) {
            try await stage.phone.unsubscribe(fromServer: "one")
        }
        stage.directory.set(["one", "two"].compactMap { Stage.server($0) })
        try await stage.phone.registerPending()
        #expect(await stage.gateway.calls.map(\.function) == ["unregisterSubscription"])
    }
}
