import Foundation
import PushgateClient
import Testing

@Suite("Subscriptions of a paired device")
struct PairedServerTests {
    private static let chat = Chat(serverID: "paired", cwd: "/srv/app")

    private func stage() async throws -> Stage {
        let stage = try Stage(servers: [])
        stage.directory.set([PushServer(id: "paired", pairing: try await PairingLinkTests.pairing())])
        return stage
    }

    @Test("A paired device registers by its credential, for its agent alone")
    func subscribe() async throws {
        let stage = try await stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        #expect(try await stage.phone.subscribe(to: Self.chat, displayName: "x") == .registered)
        let other = Chat(serverID: "paired", cwd: "/srv/other")
        #expect(try await stage.phone.subscribe(to: other) == .pushNotEnabled)
        #expect(try await stage.phone.registerPending() == ReplayReport())
        let calls = await stage.gateway.calls
        #expect(calls.map(\.method) == ["PUT"])
        #expect(calls.first?.url == "https://push.example.com/try/subscription")
        #expect(calls.first?.secret == "pgd_c2VjcmV0")
        #expect(calls.first?.fields == ["fcm_token": "t0ken", "platform": AppBuild.currentPlatform])
        #expect(try await stage.phone.registrations() == ["paired": .registered])
    }

    @Test("A paired device that leaves its agent ends the credential, also if the first answer was lost")
    func unsubscribe() async throws {
        let stage = try await stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        try await stage.phone.subscribe(to: Self.chat)
        await stage.gateway.answer { _ in throw URLError(.networkConnectionLost) }
        await #expect(throws: PushClientError.self) { try await stage.phone.unsubscribe(fromServer: "paired") }
        #expect(try await stage.phone.pendingUnsubscriptions() == ["paired"])
        await stage.gateway.answer(GatewayResponse(status: 401))
        try await stage.phone.registerPending()
        #expect(try await stage.phone.pendingUnsubscriptions().isEmpty)
        let calls = await stage.gateway.calls.dropFirst()
        #expect(calls.map(\.method) == ["DELETE", "DELETE"] && calls.allSatisfy { $0.fields.isEmpty })
        #expect(calls.allSatisfy { $0.url == "https://push.example.com/try/subscription" })
    }

    @Test("A notification of a paired device's server leads to its chat")
    func routing() async throws {
        let server = PushServer(id: "paired", pairing: try await PairingLinkTests.pairing())
        let payload = PushPayload(userInfo: ["type": "reply_finished", "server_key": "f295", "cwd": "/srv/app"])
        guard case .replyFinished(let reply)? = payload else {
            Issue.record("the payload is no reply")
            return
        }
        let router = NotificationRouter(servers: [server])
        #expect(router.destination(of: reply, projects: [Self.chat]) == .chat(Self.chat))
    }

    @Test("A paired device with an address at a relay registers that")
    func relayed() async throws {
        let stage = try RelayStage(servers: [])
        stage.directory.set([PushServer(id: "paired", pairing: try await PairingLinkTests.pairing())])
        try await stage.phone.tokenDidChange(to: RelayStage.token)
        #expect(try await stage.phone.subscribe(to: Self.chat) == .registered)
        let call = try #require(await stage.gateway.calls.first)
        #expect(call.method == "PUT" && call.token?.hasPrefix("relay:") == true && call.relay?.count == 4)
    }
}
