import PushgateClient
import Testing

@Suite("Unsubscription")
struct UnsubscribeTests {
    private func stage() async throws -> Stage {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        for chat in [Chat.one("/srv/a"), .one("/srv/b"), .two("/srv/a")] { try await stage.phone.subscribe(to: chat) }
        await stage.gateway.forgetCalls()
        return stage
    }

    @Test("An unsubscription from a chat names its folder, and removes it from the list")
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

    @Test("An unsubscription from a server names no folder, and removes all its chats from the list")
    func server() async throws {
        let stage = try await stage()
        try await stage.phone.unsubscribe(fromServer: "one")
        let id = try await stage.phone.installationID()
        #expect(await stage.gateway.calls.map(\.fields) == [["installation_id": id]])
        #expect(try await stage.phone.subscriptions().map(\.chat) == [.two("/srv/a")])
    }

    @Test("An unsubscription needs no token")
    func withoutToken() async throws {
        let stage = try Stage(earlier: try await stage())
        try await stage.phone.unsubscribe(from: .one("/srv/a"))
        #expect(await stage.gateway.calls.map(\.function) == ["unregisterSubscription"])
    }

    @Test("A failed unsubscription is repeated at the next occasion, after a new launch too")
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

    @Test("A pending unsubscription is dropped if the chat is opened again")
    func takenBack() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 503))
        _ = try? await stage.phone.unsubscribe(from: .one("/srv/a"))
        await stage.gateway.answer(GatewayResponse(status: 200))
        await stage.gateway.forgetCalls()
        #expect(try await stage.phone.subscribe(to: .one("/srv/a")) == .registered)
        #expect(await stage.gateway.calls.map(\.function) == ["registerSubscription"])
    }

    @Test("A pending unsubscription from a server is sent before a chat that is opened there later")
    func serverFirst() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 503))
        _ = try? await stage.phone.unsubscribe(fromServer: "one")
        await stage.gateway.answer(GatewayResponse(status: 200))
        await stage.gateway.forgetCalls()
        #expect(try await stage.phone.subscribe(to: .one("/srv/a")) == .registered)
        #expect(await stage.gateway.calls.map(\.function) == ["unregisterSubscription", "registerSubscription"])
    }

    @Test(
        "A failed unsubscription is repeated at every occasion, and a refused one once a day",
        arguments: [
            (500, 11), (302, 11), (403, 11), (408, 11), (421, 11), (425, 11), (401, 6), (410, 6), (404, 3), (405, 3),
            (400, 1), (413, 1),
        ])
    func refused(status: Int, requests: Int) async throws {
        let stage = try await stage()
        await stage.gateway.answer { GatewayResponse(status: $0.function == "registerSubscription" ? 200 : status) }
        let error = await #expect(throws: PushClientError.self) {
            try await stage.phone.unsubscribe(from: .one("/srv/a"))
        }
        #expect(error?.status == status)
        for _ in 0..<5 {
            stage.clock.advance(by: 24 * 3_600)
            for _ in 0..<2 { try await stage.phone.registerPending() }
        }
        #expect(await stage.gateway.calls.count { $0.function == "unregisterSubscription" } == requests)
        #expect(try await stage.phone.pendingUnsubscriptions() == (requests > 3 ? ["one"] : []))
    }

    @Test("A refused unsubscription is sent again if the user asks again on the same day")
    func askedAgain() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 404))
        for _ in 0..<2 { _ = try? await stage.phone.unsubscribe(from: .one("/srv/a")) }
        #expect(await stage.gateway.calls.count == 2)
    }

    @Test("A failing unsubscription does not hold up other requests", arguments: [404, 500, 503])
    func failing(status: Int) async throws {
        let stage = try await stage()
        await stage.gateway.answer { GatewayResponse(status: $0.function == "registerSubscription" ? 200 : status) }
        _ = try? await stage.phone.unsubscribe(from: .one("/srv/a"))
        #expect(try await stage.phone.tokenDidChange(to: "new").registered == [.one("/srv/b"), .two("/srv/a")])
        _ = try? await stage.phone.unsubscribe(fromServer: "one")
        #expect(try await stage.phone.subscribe(to: .one("/srv/c")) == .registered)
    }

    @Test("Concurrent unsubscriptions ask a failing gateway once for each chat")
    func many() async throws {
        let stage = try await stage()
        let chats = (1...10).map { Chat.one("/srv/\($0)") }
        for chat in chats { try await stage.phone.subscribe(to: chat) }
        await stage.gateway.forgetCalls()
        await stage.gateway.answer(GatewayResponse(status: 500))
        let failures = await withTaskGroup { group in
            for chat in chats {
                group.addTask {
                    await #expect(throws: PushClientError.self) { try await stage.phone.unsubscribe(from: chat) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures.allSatisfy { $0 == .unavailable(status: 500, retryAfter: nil) })
        #expect(await stage.gateway.calls.count == 10)
        await stage.gateway.answer(GatewayResponse(status: 200))
        await stage.gateway.forgetCalls()
        try await stage.phone.registerPending()
        #expect(await Set(stage.gateway.calls.map(\.cwd)) == Set(chats.map(\.cwd)))
    }

    @Test("A chat whose unsubscription always fails does not hold up others")
    func poison() async throws {
        let stage = try await stage()
        await stage.gateway.answer { GatewayResponse(status: $0.cwd == "/srv/a" ? 500 : 200) }
        await #expect(throws: PushClientError.self) { try await stage.phone.unsubscribe(from: .one("/srv/a")) }
        try await stage.phone.unsubscribe(from: .one("/srv/b"))
        let nextLaunch = try Stage(earlier: stage)
        try await nextLaunch.phone.registerPending()
        #expect(await nextLaunch.gateway.calls.map(\.cwd) == ["/srv/a"])
    }

    @Test("An unsubscription delayed by Retry-After holds the later requests to its server")
    func putOff() async throws {
        let stage = try await stage()
        await stage.gateway.answer {
            GatewayResponse(status: $0.function == "registerSubscription" ? 200 : 503, retryAfter: "60")
        }
        _ = try? await stage.phone.unsubscribe(from: .one("/srv/a"))
        let report = try await stage.phone.tokenDidChange(to: "new")
        #expect(report.failed == [.one("/srv/b"): .unavailable(status: 503, retryAfter: .seconds(60))])
        #expect(report.retryAfter == .seconds(60))
    }

    @Test("A late unsubscription from a server keeps the chats that were opened after it")
    func late() async throws {
        let stage = try await stage()
        await stage.gateway.answer { GatewayResponse(status: $0.function == "registerSubscription" ? 200 : 500) }
        _ = try? await stage.phone.unsubscribe(fromServer: "one")
        try await stage.phone.subscribe(to: .one("/srv/a"))
        await stage.gateway.answer(GatewayResponse(status: 200))
        await stage.gateway.forgetCalls()
        #expect(try await stage.phone.registerPending().registered == [.one("/srv/a")])
        #expect(await stage.gateway.calls.map(\.function) == ["unregisterSubscription", "registerSubscription"])
    }

    @Test(
        "An unsubscription from an unlisted server is sent if the server is listed within 90 days",
        arguments: [true, false])
    func unlistedServer(inTime: Bool) async throws {
        let stage = try await stage()
        stage.directory.set([])
        try await stage.phone.unsubscribe(fromServer: "one")
        #expect(await stage.gateway.calls.isEmpty)
        #expect(try await stage.phone.subscriptions().map(\.chat) == [.two("/srv/a")])
        try await stage.phone.registerPending()
        stage.clock.advance(by: 90 * 24 * 3_600 - (inTime ? 1 : 0))
        stage.directory.set([try #require(Stage.server("one"))])
        try await stage.phone.registerPending()
        #expect(await stage.gateway.calls.map(\.function) == (inTime ? ["unregisterSubscription"] : []))
        #expect(try await stage.phone.pendingUnsubscriptions().isEmpty)
    }

    @Test("A pending unsubscription from a server is listed until its secret is no longer needed")
    func pending() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 502))
        await #expect(throws: PushClientError.self) { try await stage.phone.unsubscribe(fromServer: "one") }
        let nextLaunch = try Stage(earlier: stage)
        #expect(try await nextLaunch.phone.pendingUnsubscriptions() == ["one"])
        try await nextLaunch.phone.registerPending()
        #expect(try await nextLaunch.phone.pendingUnsubscriptions().isEmpty)
    }

    @Test("An unsubscription is kept while the secrets cannot be read")
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
