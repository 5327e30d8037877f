import PushgateClient
import Testing

@Suite("Log of the client library")
struct LogTests {
    @Test("The client's log names each registration, unregistration and failure by server and agent")
    func calls() async throws {
        let stage = try Stage()
        let agent = Chat.one("/a").agentKey.prefix(8)
        try await stage.phone.tokenDidChange(to: "token-1")
        try await stage.phone.tokenDidChange(to: "token-1")
        try await stage.phone.subscribe(to: .one("/a"))
        try await stage.phone.unsubscribe(from: .one("/a"))
        #expect(
            stage.log.lines(.info) == [
                "registered a chat agent=\(agent) server=one", "unregistered agent=\(agent) server=one",
            ])
        #expect(stage.log.lines(.debug) == ["received a new token", "received the same token again"])
        await stage.gateway.answer(GatewayResponse(status: 503))
        await #expect(throws: PushClientError.self) { try await stage.phone.subscribe(to: .two("/b")) }
        await #expect(throws: PushClientError.self) {
            try await stage.phone.unsubscribe(fromServer: "one")
        }
        let failures = stage.log.lines(.warning)
        #expect(failures.count == 2)
        #expect(failures.first?.hasPrefix("failed to register a chat agent=") == true)
        #expect(
            failures.last?.hasPrefix("failed to unregister error=The gateway cannot accept requests") == true)
    }

    @Test("The client's log reports a list or servers that cannot be read or saved")
    func storage() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "token-1")
        stage.storage.setBroken(true)
        await #expect(throws: PushClientError.self) { try await stage.phone.subscribe(to: .one("/a")) }
        stage.directory.set(nil)
        await #expect(throws: PushClientError.self) { try await stage.phone.registerPending() }
        let lines = stage.log.lines(.error)
        #expect(lines.contains { $0.hasPrefix("failed to save the list of chats error=") })
        #expect(lines.contains("failed to read the servers"))
    }

    @Test("The client's log contains no secrets, tokens or folders")
    func secrecy() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "token-of-this-phone")
        try await stage.phone.subscribe(to: .one("/srv/secret-project"))
        await stage.gateway.answer(GatewayResponse(status: 401))
        await #expect(throws: PushClientError.self) {
            try await stage.phone.subscribe(to: .two("/srv/secret-project"))
        }
        let text = stage.log.all.map(\.description).joined(separator: "\n")
        #expect(stage.log.all.count >= 3)
        for secret in ["token-of-this-phone", "secret-project"] + Stage.secrets.values {
            #expect(!text.contains(secret))
        }
    }
}
