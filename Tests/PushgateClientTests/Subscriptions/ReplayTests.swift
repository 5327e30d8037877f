import Foundation
import PushgateClient
import Testing

@Suite("Registration of the list after a token change")
struct ReplayTests {
    private static let chats: Set<Chat> = [.one("/srv/a"), .one("/srv/b"), .two("/srv/a")]

    /// Returns a stage whose device has opened every chat.
    private func stage() async throws -> Stage {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "first")
        for chat in Self.chats { try await stage.phone.subscribe(to: chat, displayName: "at \(chat.cwd)") }
        await stage.gateway.forgetCalls()
        return stage
    }

    @Test("A new token registers every chat again with its name")
    func replayed() async throws {
        let stage = try await stage()
        let report = try await stage.phone.tokenDidChange(to: "second")
        #expect(report.registered == Self.chats && report.failed.isEmpty)
        let calls = await stage.gateway.calls
        #expect(calls.count == 3)
        #expect(calls.allSatisfy { $0.token == "second" && $0.fields["agent_display_name"] == "at \($0.cwd ?? "")" })
        #expect(Set(calls.map(\.secret)) == Set(Stage.secrets.values))
    }

    @Test("An unchanged token registers nothing, as at most launches")
    func sameToken() async throws {
        let stage = try await stage()
        let report = try await stage.phone.tokenDidChange(to: "first")
        #expect(report == ReplayReport())
        let nextLaunch = try Stage(earlier: stage)
        #expect(try await nextLaunch.phone.tokenDidChange(to: "first") == ReplayReport())
        #expect(await nextLaunch.gateway.calls.isEmpty)
        #expect(try await nextLaunch.phone.installationID() == stage.phone.installationID())
    }

    @Test("A token that changed between two launches registers every chat at the next launch")
    func nextLaunch() async throws {
        let nextLaunch = try Stage(earlier: try await stage())
        #expect(try await nextLaunch.phone.tokenDidChange(to: "second").registered == Self.chats)
    }

    @Test("An unchanged token registers every chat once a week, so that unopened chats are not removed")
    func weekly() async throws {
        let stage = try await stage()
        stage.clock.advance(by: 7 * 24 * 3_600 - 1)
        #expect(try await stage.phone.tokenDidChange(to: "first").registered.isEmpty)
        stage.clock.advance(by: 1)
        #expect(try await stage.phone.tokenDidChange(to: "first").registered == Self.chats)
    }

    @Test("A failed registration is repeated at the next occasion, and a successful one is not")
    func failed() async throws {
        let stage = try await stage()
        await stage.gateway.answer { call in
            GatewayResponse(status: call.url.hasPrefix("https://two") ? 503 : 200)
        }
        let report = try await stage.phone.tokenDidChange(to: "second")
        #expect(report.registered == [.one("/srv/a"), .one("/srv/b")])
        #expect(report.failed == [.two("/srv/a"): .unavailable(status: 503, retryAfter: nil)])
        await stage.gateway.answer(GatewayResponse(status: 200))
        await stage.gateway.forgetCalls()
        #expect(try await stage.phone.registerPending().registered == [.two("/srv/a")])
        #expect(await stage.gateway.calls.count == 1)
        #expect(try await stage.phone.registerPending() == ReplayReport())
    }

    @Test("A failed registration is repeated by the next launch with the same token")
    func failedBeforeLaunch() async throws {
        let stage = try await stage()
        await stage.gateway.answer { GatewayResponse(status: $0.cwd == "/srv/b" ? 200 : 400) }
        try await stage.phone.tokenDidChange(to: "second")
        let nextLaunch = try Stage(earlier: stage)
        let report = try await nextLaunch.phone.tokenDidChange(to: "second")
        #expect(report.registered == [.one("/srv/a"), .two("/srv/a")] && report.failed.isEmpty)
        #expect(await nextLaunch.gateway.calls.count == 2)
    }

    @Test("A failed registration is repeated after another chat of that server is opened")
    func caughtUp() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 503))
        try await stage.phone.tokenDidChange(to: "second")
        await stage.gateway.answer(GatewayResponse(status: 200))
        await stage.gateway.forgetCalls()
        #expect(try await stage.phone.subscribe(to: .one("/srv/new")) == .registered)
        let folders = await stage.gateway.calls.map(\.cwd)
        #expect(folders.first == "/srv/new")
        #expect(Set(folders) == ["/srv/new", "/srv/a", "/srv/b"] && folders.count == 3)
    }

    @Test("A refused chat does not stop the replay, and a failed server stops it for its chats")
    func refused() async throws {
        let stage = try await stage()
        await stage.gateway.answer { call in GatewayResponse(status: call.cwd == "/srv/a" ? 400 : 200) }
        let report = try await stage.phone.tokenDidChange(to: "second")
        #expect(report.registered == [.one("/srv/b")])
        #expect(Set(report.failed.keys) == [.one("/srv/a"), .two("/srv/a")])
        await stage.gateway.forgetCalls()
        await stage.gateway.answer { _ in throw CancellationError() }
        let other = try await stage.phone.tokenDidChange(to: "third")
        #expect(Set(other.failed.keys) == Self.chats)
        #expect(await stage.gateway.calls.count == 2)
    }

    @Test("A gateway with Retry-After is not asked until then")
    func pause() async throws {
        let stage = try await stage()
        await stage.gateway.answer(GatewayResponse(status: 429, retryAfter: "60"))
        #expect(try await stage.phone.tokenDidChange(to: "second").retryAfter == .seconds(60))
        #expect(await stage.gateway.calls.count == 2)
        await stage.gateway.answer(GatewayResponse(status: 200))
        stage.clock.advance(by: 20)
        let early = try await stage.phone.registerPending()
        #expect(early.registered.isEmpty && early.retryAfter == .seconds(40))
        #expect(early.failed[.two("/srv/a")] == .rateLimited(retryAfter: .seconds(40)))
        await #expect(throws: PushClientError.rateLimited(retryAfter: .seconds(40))) {
            try await stage.phone.subscribe(to: .one("/srv/new"))
        }
        #expect(await stage.gateway.calls.count == 2)
        stage.clock.advance(by: 40)
        #expect(try await stage.phone.registerPending().registered == Self.chats.union([.one("/srv/new")]))
    }

    @Test("The replay report has the earliest time for a retry, which is at least a second")
    func retryAfter() async throws {
        let stage = try await stage()
        await stage.gateway.answer { call in
            GatewayResponse(status: 429, retryAfter: call.url.hasPrefix("https://two") ? "30" : "60")
        }
        #expect(try await stage.phone.tokenDidChange(to: "second").retryAfter == .seconds(30))
        stage.clock.advance(by: 60)
        await stage.gateway.answer(GatewayResponse(status: 503, retryAfter: "0"))
        #expect(try await stage.phone.registerPending().retryAfter == .seconds(1))
        await stage.gateway.answer(GatewayResponse(status: 503))
        #expect(try await stage.phone.registerPending().retryAfter == nil)
    }

    @Test("The chats of a server without a readable secret are kept")
    func missingServer() async throws {
        let stage = try await stage()
        stage.directory.set([])
        #expect(try await stage.phone.tokenDidChange(to: "second") == ReplayReport())
        stage.directory.set([try #require(Stage.server("two"))])
        #expect(try await stage.phone.registerPending().registered == [.two("/srv/a")])
        #expect(try await stage.phone.subscriptions().count == 3)
    }
}
