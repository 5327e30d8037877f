import Foundation
import PushgateClient
import Testing

@Suite("Subscription to an opened chat")
struct SubscribeTests {
    @Test("A subscription sends the contract's fields to the gateway of the chat's server")
    func request() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        let outcome = try await stage.phone.subscribe(to: .two("/srv/größe"), displayName: "größe@two")
        #expect(outcome == .registered)
        let calls = await stage.gateway.calls
        let id = try await stage.phone.installationID()
        #expect(
            calls == [
                ScriptedGateway.Call(
                    url: "https://two.example.com/push/registerSubscription",
                    secret: Stage.secrets["two"] ?? "",
                    fields: [
                        "cwd": "/srv/größe", "installation_id": id, "fcm_token": "t0ken",
                        "platform": AppBuild.currentPlatform,
                        "agent_display_name": "größe@two",
                    ])
            ])
        #expect(id == id.lowercased() && UUID(uuidString: id) != nil)
    }

    @Test("A subscription of a custom build sends that build's fields")
    func build() async throws {
        let stage = try Stage(
            build: AppBuild(
                bundleID: "com.example.mine", apnsEnvironment: .sandbox, version: "1.2 (3)", platform: "watchos"))
        try await stage.phone.tokenDidChange(to: Data([0x00, 0x0F, 0xAB, 0xFF]))
        try await stage.phone.subscribe(to: .one("/srv/app"))
        let fields = await stage.gateway.calls.first?.fields
        #expect(fields?["fcm_token"] == "000fabff")
        #expect(fields?["bundle_id"] == "com.example.mine")
        #expect(fields?["apns_environment"] == "sandbox")
        #expect(fields?["app_version"] == "1.2 (3)")
        #expect(fields?["platform"] == "watchos")
        #expect(fields?["agent_display_name"] == nil)
    }

    @Test("A build that sends receipts asks for them")
    func receipts() async throws {
        let stage = try Stage(build: AppBuild(sendsReceipts: true))
        try await stage.phone.tokenDidChange(to: "t0ken")
        try await stage.phone.subscribe(to: .one("/srv/app"))
        #expect(await stage.gateway.calls.first?.fields["receipts"] == "true")
    }

    @Test("A display name that is too long is cut between characters")
    func longName() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        try await stage.phone.subscribe(to: .one("/srv/app"), displayName: String(repeating: "n", count: 119) + "👋🏽x")
        let sent = await stage.gateway.calls.first?.fields["agent_display_name"]
        #expect(sent == String(repeating: "n", count: 119))
    }

    @Test("An unchanged subscription is sent again only after an hour", arguments: [(3_599.0, 1), (3_600, 2), (-1, 2)])
    func again(seconds: TimeInterval, requests: Int) async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        try await stage.phone.subscribe(to: .one("/srv/app"))
        stage.clock.advance(by: seconds)
        let outcome = try await stage.phone.subscribe(to: .one("/srv/app"))
        #expect(outcome == (requests == 1 ? .unchanged : .registered))
        #expect(await stage.gateway.calls.count == requests)
    }

    @Test("A subscription is sent at every opening if the policy says so")
    func always() async throws {
        let stage = try Stage(policy: RegistrationPolicy(whenOpened: .zero))
        try await stage.phone.tokenDidChange(to: "t0ken")
        for _ in 0..<3 {
            stage.clock.advance(by: 1)
            #expect(try await stage.phone.subscribe(to: .one("/srv/app")) == .registered)
        }
        #expect(await stage.gateway.calls.count == 3)
    }

    @Test("A changed name, secret or gateway is sent at once")
    func changed() async throws {
        let stage = try Stage(servers: ["one"])
        try await stage.phone.tokenDidChange(to: "t0ken")
        try await stage.phone.subscribe(to: .one("/srv/app"), displayName: "Old")
        #expect(try await stage.phone.subscribe(to: .one("/srv/app"), displayName: "New") == .registered)
        #expect(try await stage.phone.subscribe(to: .one("/srv/app"), displayName: nil) == .registered)
        let one = try #require(Stage.server("one"))
        stage.directory.set([PushServer(id: "one", secret: .random(), gateway: one.gateway)])
        #expect(try await stage.phone.subscribe(to: .one("/srv/app"), displayName: nil) == .registered)
        let elsewhere = try #require(GatewayURL("https://elsewhere.example.com"))
        stage.directory.set([PushServer(id: "one", secret: one.secret, gateway: elsewhere)])
        #expect(try await stage.phone.subscribe(to: .one("/srv/app"), displayName: nil) == .registered)
        #expect(await stage.gateway.calls.map { $0.fields["agent_display_name"] } == ["Old", "New", nil, nil, nil])
        #expect(try await stage.phone.subscriptions().count == 1)
    }

    @Test("A chat opened before the token is known is kept, and registered with the token")
    func beforeToken() async throws {
        let stage = try Stage()
        #expect(try await stage.phone.subscribe(to: .one("/srv/app"), displayName: "App") == .waitingForToken)
        #expect(await stage.gateway.calls.isEmpty)
        let report = try await stage.phone.tokenDidChange(to: "t0ken")
        #expect(report.registered == [.one("/srv/app")] && report.failed.isEmpty)
        #expect(await stage.gateway.calls.first?.fields["agent_display_name"] == "App")
    }

    @Test("A chat whose server has no secret is kept, and registered when there is one")
    func notEnabled() async throws {
        let stage = try Stage(servers: ["one"])
        try await stage.phone.tokenDidChange(to: "t0ken")
        #expect(try await stage.phone.subscribe(to: .two("/srv/app")) == .pushNotEnabled)
        #expect(await stage.gateway.calls.isEmpty)
        #expect(try await stage.phone.subscriptions().map(\.registeredAt) == [nil])
        stage.directory.set(["one", "two"].compactMap { Stage.server($0) })
        #expect(try await stage.phone.registerPending().registered == [.two("/srv/app")])
    }

    @Test(
        "A refused subscription throws the gateway's error, and the chat is remembered",
        arguments: [400, 401, 404, 429, 500, 503])
    func failure(status: Int) async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        await stage.gateway.answer(GatewayResponse(status: status))
        let error = await #expect(throws: PushClientError.self) {
            try await stage.phone.subscribe(to: .one("/srv/app"))
        }
        #expect(error?.status == status)
        #expect(await stage.gateway.calls.count == 1)
        await stage.gateway.answer(GatewayResponse(status: 200))
        let report = try await stage.phone.registerPending()
        #expect(report.registered == [.one("/srv/app")])
    }

    @Test("A subscription without readable servers or list fails without a request")
    func unreadable() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        stage.directory.set(nil)
        await #expect(throws: PushClientError.serversUnreadable) {
            try await stage.phone.subscribe(to: .one("/srv/app"))
        }
        let other = try Stage()
        other.storage.setBroken(true)
        let error = await #expect(throws: PushClientError.self) {
            try await other.phone.subscribe(to: .one("/srv/app"))
        }
        guard case .storageFailed? = error else {
            Issue.record("the error is not storageFailed: \(String(describing: error))")
            return
        }
        #expect(await stage.gateway.calls.isEmpty)
        #expect(await other.gateway.calls.isEmpty)
    }

    @Test("The installation id is saved with the first chat, before a request is sent")
    func installationID() async throws {
        let stage = try Stage()
        try await stage.phone.subscribe(to: .one("/srv/app"))
        let kept = try #require(stage.storage.state?.installationID)
        #expect(try await stage.phone.installationID() == kept)
        #expect(stage.storage.saves == 1)
    }

    @Test("A list that cannot be saved is reported, for one chat and for all")
    func brokenStorage() async throws {
        let earlier = try Stage(installationID: UUID())
        for chat in [Chat.one("/srv/a"), .one("/srv/b")] { try await earlier.phone.subscribe(to: chat) }
        let stage = try Stage(earlier: earlier)
        #expect(try await stage.phone.subscriptions().count == 2)
        stage.storage.setBroken(true)
        let report = try await stage.phone.tokenDidChange(to: "t0ken")
        #expect(report.registered.isEmpty && Set(report.failed.keys) == [.one("/srv/a"), .one("/srv/b")])
        let error = await #expect(throws: PushClientError.self) {
            try await stage.phone.subscribe(to: .one("/srv/a"))
        }
        #expect(error == report.failed[.one("/srv/a")])
        guard case .storageFailed? = error else {
            Issue.record("the error is not storageFailed: \(String(describing: error))")
            return
        }
        #expect(await stage.gateway.calls.isEmpty)
        stage.storage.setBroken(false)
        #expect(try await stage.phone.registerPending().registered == [.one("/srv/a"), .one("/srv/b")])
    }

    @Test("A printed client does not contain the token")
    func redacted() async throws {
        let stage = try Stage()
        try await stage.phone.tokenDidChange(to: "t0ken")
        var dumped = ""
        dump(stage.phone, to: &dumped)
        for text in ["\(stage.phone)", String(reflecting: stage.phone), dumped] { #expect(!text.contains("t0ken")) }
    }
}
