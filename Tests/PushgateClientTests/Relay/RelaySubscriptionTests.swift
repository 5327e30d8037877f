import Foundation
import Testing

@testable import PushgateClient

@Suite("Registrations by the author's relay")
struct RelaySubscriptionTests {
    @Test("A gateway gets the address with its secrets in place of the token, and no fact of the app")
    func registration() async throws {
        let stage = try await RelayStage.subscribed()
        let address = try await stage.client.address()
        let calls = await stage.gateway.calls
        #expect(calls.map(\.function) == ["registerSubscription", "registerSubscription"])
        for call in calls {
            #expect(call.token == address && call.fields["bundle_id"] == nil && call.fields["apns_environment"] == nil)
            #expect(call.fields["platform"] == "ios" && call.cwd == "/srv/app")
            #expect(call.relay.map { Set($0.keys) } == ["send_secret", "p256dh", "auth", "collapse_key"])
        }
        let sent = calls.compactMap { $0.relay?["send_secret"] }
        #expect(Set(sent).count == 2)
        #expect(await stage.relay.known.values.first.map { Set($0.secrets.values) } == Set(sent))
        #expect(!calls.contains { "\($0)".contains(RelayStage.token) })
    }

    @Test("A new token is the relay's matter: no gateway is called, and messages that wait go to the same address")
    func tokenChanged() async throws {
        let stage = try await RelayStage.subscribed()
        await stage.gateway.forgetCalls()
        let other = String(repeating: "b2", count: 32)
        #expect(try await stage.phone.tokenDidChange(to: other) == ReplayReport())
        #expect(await stage.gateway.calls.isEmpty)
        #expect(await stage.relay.known.values.first?.registration.contains(other) == true)
    }

    @Test("Every launch registers with the relay, and with gateways only what they lack")
    func launch() async throws {
        let stage = try await RelayStage.subscribed()
        let later = try RelayStage(earlier: stage)
        await later.relay.forgetCalls()
        try await later.phone.tokenDidChange(to: RelayStage.token)
        #expect(await later.relay.kinds == [.check, .register])
        #expect(await later.gateway.calls.isEmpty)
        #expect(try await later.phone.registrations() == ["one": .registered, "two": .registered])
        try await later.phone.registerPending()
        #expect(await later.relay.calls.count == 2)
        later.clock.advance(by: 3_600)
        try await later.phone.registerPending()
        #expect(await later.relay.calls.count == 4)
    }

    // MARK: An address that ends

    @Test("An address that has ended is registered again at the next launch, and every chat with it")
    func gone() async throws {
        let stage = try await RelayStage.subscribed()
        let address = try await stage.client.address()
        await stage.relay.change { $0.isGone = true }
        let later = try RelayStage(earlier: stage)
        let report = try await later.phone.tokenDidChange(to: RelayStage.token)
        #expect(report.registered == [.one("/srv/app"), .two("/srv/app")])
        #expect(await later.relay.known.values.first?.isGone == false)
        #expect(await later.gateway.calls.map(\.token) == [address, address])
    }

    @Test("A gateway that was told 410 tells the app at its next call, which registers with all gateways again")
    func goneByGateway() async throws {
        let stage = try await RelayStage.subscribed()
        await stage.relay.change { $0.isGone = true }
        await stage.gateway.forgetCalls()
        let told = Data(#"{"ok":true,"former_subscription_removed_at":"2026-11-21T21:46:17Z"}"#.utf8)
        await stage.gateway.answer { call in
            GatewayResponse(status: 200, body: call.cwd == "/srv/new" ? told : Data(#"{"ok":true}"#.utf8))
        }
        #expect(try await stage.phone.subscribe(to: .one("/srv/new")) == .registered)
        #expect(await stage.relay.known.values.first?.isGone == false)
        #expect(try await stage.phone.registerPending().registered == [.two("/srv/app")])
        let calls = await stage.gateway.calls
        #expect(calls.filter { $0.url.contains("one.") }.compactMap(\.cwd) == ["/srv/new", "/srv/new", "/srv/app"])
    }

    @Test("A relay that is restored from yesterday's backup gives the address again, and new secrets")
    func restored() async throws {
        let stage = try RelayStage()
        try await stage.phone.tokenDidChange(to: RelayStage.token)
        let (address, yesterday) = (try await stage.client.address(), await stage.relay.known)
        try await stage.phone.subscribe(to: .one("/srv/app"))
        let old = await stage.gateway.calls.last?.relay?["send_secret"]
        for backup in [yesterday, [:]] {
            await stage.relay.restore(backup)
            let later = try RelayStage(earlier: stage)
            #expect(try await later.phone.tokenDidChange(to: RelayStage.token).registered == [.one("/srv/app")])
            let call = try #require(await later.gateway.calls.last)
            #expect(call.token == address && call.relay?["send_secret"] != old)
            #expect(await later.relay.known.values.first?.secrets.count == 1)
        }
    }

    @Test("A relay that forgets the address while the app runs is asked again before the chat is registered")
    func forgottenMeanwhile() async throws {
        let stage = try RelayStage()
        try await stage.phone.tokenDidChange(to: RelayStage.token)
        await stage.relay.restore([:])
        #expect(try await stage.phone.subscribe(to: .one("/srv/app")) == .registered)
        #expect(await stage.gateway.calls.count == 1)
        #expect(await stage.relay.known.values.first?.secrets.count == 1)
    }

    @Test("A relay with another name: gateways get it with the same secrets, and one that refuses it keeps the former")
    func moved() async throws {
        let stage = try await RelayStage.subscribed()
        let sent = await stage.gateway.calls.compactMap { $0.relay?["send_secret"] }
        let address = try #require(try await stage.client.address())
        await stage.relay.move(to: "push.example.org")
        let later = try RelayStage(earlier: stage)
        await later.gateway.answer { call in GatewayResponse(status: call.url.contains("one.") ? 400 : 200) }
        let report = try await later.phone.tokenDidChange(to: RelayStage.token)
        #expect(report.registered == [.two("/srv/app")] && Set(report.failed.keys) == [.one("/srv/app")])
        let calls = await later.gateway.calls
        let moved = address.replacing(ScriptedRelay.host, with: "push.example.org")
        #expect(calls.map(\.token) == [moved, moved])
        #expect(Set(calls.compactMap { $0.relay?["send_secret"] }) == Set(sent))
        // No later launch revokes the secret in the former registration.
        try await RelayStage(earlier: later).phone.tokenDidChange(to: RelayStage.token)
        #expect(await stage.relay.known.values.first.map { Set($0.secrets.values) } == Set(sent))
    }

    // MARK: Send secrets

    @Test("A stolen send secret is revoked, and the gateway gets a new one")
    func stolen() async throws {
        let stage = try await RelayStage.subscribed()
        let stolen = try #require(await stage.gateway.calls.first?.relay?["send_secret"])
        await stage.gateway.forgetCalls()
        #expect(try await stage.phone.replaceSendSecret(of: "one").registered == [.one("/srv/app")])
        let fresh = try #require(await stage.gateway.calls.first?.relay?["send_secret"])
        #expect(await stage.gateway.calls.count == 1 && fresh != stolen)
        let secrets = try #require(await stage.relay.known.values.first?.secrets.values.map { $0 })
        #expect(secrets.count == 2 && secrets.contains(fresh) && !secrets.contains(stolen))
    }

    @Test("The send secret of a server that is left is revoked, also if its gateway does not answer")
    func left() async throws {
        let stage = try await RelayStage.subscribed()
        await stage.gateway.answer(GatewayResponse(status: 503))
        await #expect(throws: PushClientError.self) { try await stage.phone.unsubscribe(fromServer: "one") }
        let other = try #require(await stage.gateway.calls.first { $0.url.contains("two.") }?.relay?["send_secret"])
        #expect(await stage.relay.known.values.first?.secrets.values.map { $0 } == [other])
        #expect(try await stage.phone.registrations() == ["one": .notRegistered, "two": .registered])
    }

    @Test("An app that ends while it leaves a server revokes the send secret at its next launch")
    func leftBeforeTheEnd() async throws {
        let stage = try await RelayStage.subscribed()
        let (keys, known) = (try #require(stage.keys.bytes), await stage.relay.known)
        await stage.gateway.answer(GatewayResponse(status: 503))
        await #expect(throws: PushClientError.self) { try await stage.phone.unsubscribe(fromServer: "one") }
        // The app has ended before the revocation: the list has the departure, and the keys have the secret still.
        try stage.keys.save(keys)
        await stage.relay.restore(known)
        let later = try RelayStage(earlier: stage)
        try await later.phone.tokenDidChange(to: RelayStage.token)
        let other = try #require(await stage.gateway.calls.first { $0.url.contains("two.") }?.relay?["send_secret"])
        #expect(await later.relay.known.values.first?.secrets.values.map { $0 } == [other])
        #expect(try await later.phone.pendingUnsubscriptions().isEmpty)
    }

    // MARK: A relay that is down

    @Test("Without an address no chat is registered, and the error is the relay's")
    func down() async throws {
        let stage = try RelayStage()
        await stage.relay.answer(GatewayResponse(status: 503))
        let later = RelayError.later(retryAfter: nil)
        #expect(try await stage.phone.tokenDidChange(to: RelayStage.token).relayError == later)
        #expect(try await stage.phone.registrations() == ["one": .notRegistered, "two": .notRegistered])
        await #expect(throws: PushClientError.relay(later)) { try await stage.phone.subscribe(to: .one("/srv/app")) }
        #expect(await stage.gateway.calls.isEmpty)
        #expect(try await stage.phone.registrations()["one"] == .notRegistered)
        await stage.relay.answer(nil)
        #expect(try await stage.phone.registerPending().registered == [.one("/srv/app")])
        #expect(try await stage.phone.registrations()["one"] == .registered)
    }

    @Test("A relay that is down at a launch hinders neither new chats nor unsubscriptions at known gateways")
    func downLater() async throws {
        let stage = try await RelayStage.subscribed()
        let later = try RelayStage(earlier: stage)
        await later.relay.answer(GatewayResponse(status: 503))
        #expect(try await later.phone.tokenDidChange(to: RelayStage.token).failed.isEmpty)
        #expect(try await later.phone.subscribe(to: .one("/srv/new")) == .registered)
        try await later.phone.unsubscribe(from: .two("/srv/app"))
        #expect(await later.gateway.calls.map(\.function) == ["registerSubscription", "unregisterSubscription"])
        #expect(try await later.phone.registrations()["one"] == .unknown)
    }

    @Test("A relay's pause is not the gateway's: what needs no relay is sent")
    func pause() async throws {
        let stage = try RelayStage()
        await stage.relay.answer(GatewayResponse(status: 429, retryAfter: "60"))
        let report = try await stage.phone.tokenDidChange(to: RelayStage.token)
        #expect(report.retryAfter == .seconds(60))
        try await stage.phone.unsubscribe(from: .one("/srv/app"))
        #expect(await stage.gateway.calls.map(\.function) == ["unregisterSubscription"])
    }

    // MARK: States

    @Test("A server's state is known only after the relay and the gateway have answered")
    func states() async throws {
        let stage = try RelayStage()
        try await stage.phone.subscribe(to: .one("/srv/app"))
        #expect(try await stage.phone.registrations() == ["one": .unknown, "two": .notRegistered])
        await stage.gateway.answer { _ in throw URLError(.timedOut) }
        try await stage.phone.tokenDidChange(to: RelayStage.token)
        #expect(try await stage.phone.registrations()["one"] == .unknown)
        await stage.gateway.answer(GatewayResponse(status: 401))
        try await stage.phone.registerPending()
        #expect(try await stage.phone.registrations()["one"] == .notRegistered)
        await stage.gateway.answer(GatewayResponse(status: 200))
        try await stage.phone.registerPending()
        #expect(try await stage.phone.registrations()["one"] == .registered)
        try await stage.client.close()
        #expect(try await stage.phone.registrations()["one"] == .notRegistered)
        stage.directory.set(nil)
        await #expect(throws: PushClientError.serversUnreadable) { try await stage.phone.registrations() }
    }

    @Test("An app that the relay does not admit is not registered")
    func notAdmitted() async throws {
        let stage = try RelayStage()
        await stage.relay.answer(GatewayResponse(status: 403, body: Data(#"{"error":"not_admitted"}"#.utf8)))
        try await stage.phone.tokenDidChange(to: RelayStage.token)
        await #expect(throws: PushClientError.relay(.notAdmitted)) {
            try await stage.phone.subscribe(to: .one("/srv/app"))
        }
        #expect(try await stage.phone.registrations()["one"] == .notRegistered)
    }

    @Test("The states of servers whose gateways have the app's key follow the gateway alone")
    func withoutRelay() async throws {
        let stage = try Stage()
        #expect(try await stage.phone.registrations() == ["one": .notRegistered, "two": .notRegistered])
        try await stage.phone.subscribe(to: .one("/srv/app"))
        #expect(try await stage.phone.registrations()["one"] == .unknown)
        try await stage.phone.tokenDidChange(to: "t0ken")
        #expect(try await stage.phone.registrations()["one"] == .registered)
        await stage.gateway.answer(GatewayResponse(status: 503))
        try await stage.phone.tokenDidChange(to: "another")
        #expect(try await stage.phone.registrations()["one"] == .unknown)
    }
}
