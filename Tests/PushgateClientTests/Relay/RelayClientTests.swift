import ClientCryptography
import Foundation
import Synchronization
import Testing

@testable import PushgateClient

@Suite("Installation at its author's relay")
struct RelayClientTests {
    private static let target = RelayTarget(
        token: RelayStage.token, build: AppBuild(bundleID: "com.example.app", apnsEnvironment: .production))

    private func gateway(_ name: String = "one") throws -> GatewayURL {
        try #require(GatewayURL("https://\(name).example.com"))
    }

    // MARK: The address

    @Test("An installation gets its address, and the same again at every launch and with another token")
    func address() async throws {
        let stage = try RelayStage()
        #expect(await stage.client.standing == .unknown)
        #expect(try await stage.client.address() == nil)
        try await stage.client.register(Self.target)
        let address = try #require(try await stage.client.address())
        #expect(await stage.client.standing == .registered)
        #expect(address.hasPrefix("relay:\(ScriptedRelay.host)/"))
        let later = try RelayStage(earlier: stage)
        #expect(try await later.client.check() == .registered)
        try await later.client.register(.fcm(token: "another"))
        #expect(try await later.client.address() == address)
        let known = await stage.relay.known
        #expect(known.count == 1)
        #expect(known.values.first?.registration == #"{"fcm":{"token":"another"}}"#)
        #expect(await stage.relay.refusedSignatures == 0)
    }

    @Test("A registration names the device's token by its form, with the facts of the app")
    func bodies() async throws {
        func fields(_ target: RelayTarget) throws -> [String: [String: String]] {
            let body = try JSONEncoder().encode(RelayRegistrationBody(target: target, proof: .secret("s3cret")))
            return try JSONDecoder().decode([String: [String: String]].self, from: body)
        }
        #expect(
            try fields(Self.target) == [
                "apns": ["token": RelayStage.token, "bundle_id": "com.example.app", "environment": "production"],
                "admission": ["secret": "s3cret"],
            ])
        let plain = RelayTarget(token: String(repeating: "0F", count: 32), build: AppBuild())
        #expect(try fields(plain)["apns"] == ["token": String(repeating: "0F", count: 32)])
        for token in ["dTxyz:APA91b", String(repeating: "a", count: 33), String(repeating: "g", count: 64), "a1b2"] {
            #expect(try fields(RelayTarget(token: token, build: AppBuild()))["fcm"] == ["token": token])
        }
        let endpoint = try #require(URL(string: "https://up.example.com/x"))
        let browser = RelayRegistrationBody(target: .webPush(endpoint: endpoint, p256dh: "p", auth: "a"), proof: nil)
        let object = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(browser)) as? [String: Any]
        let subscription = try #require(object?["web_push"] as? [String: Any])
        #expect(subscription["endpoint"] as? String == "https://up.example.com/x")
        #expect(subscription["keys"] as? [String: String] == ["p256dh": "p", "auth": "a"] && object?.count == 1)
    }

    @Test("Each registration has the neutral text that the app has chosen")
    func neutralText() async throws {
        let relay = ScriptedRelay(clock: TestClock())
        let client = RelayClient(
            relay: try #require(GatewayURL("https://\(ScriptedRelay.host)")), storage: InMemoryRelayStorage(),
            cryptography: OpenSSLCryptography(), neutralText: RelayNeutralText(title: "Neu", body: "Öffnen."),
            http: relay, now: { Date(timeIntervalSince1970: 1_800_000_000) })
        await relay.answer { call in
            let object = try JSONSerialization.jsonObject(with: Data(call.body.utf8)) as? [String: Any]
            #expect(object?["text"] as? [String: String] == ["title": "Neu", "body": "Öffnen."])
            return GatewayResponse(status: 503)
        }
        await #expect(throws: RelayError.later(retryAfter: nil)) { try await client.register(Self.target) }
        #expect(await relay.kinds == [.register])
    }

    @Test("Attestations and assertions are in the form of the relay")
    func proofs() throws {
        func text(_ proof: RelayAdmissionProof) throws -> String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(proof), as: UTF8.self)
        }
        #expect(
            try text(.attestation(keyID: "k/+=", Data([251, 255])))
                == #"{"app_attest":{"attestation":"-_8","key_id":"k_-"}}"#)
        #expect(
            try text(.assertion(keyID: "k", Data([251, 255]))) == #"{"app_attest":{"assertion":"-_8","key_id":"k"}}"#)
    }

    @Test("The keys are stored before the relay hears of them, and no call is made if they cannot be")
    func keysFirst() async throws {
        let keys = InMemoryRelayStorage()
        let stage = try RelayStage(keys: keys)
        keys.setLocked(true)
        let error = await #expect(throws: RelayError.self) { try await stage.client.register(Self.target) }
        guard case .storageFailed? = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
        #expect(await stage.relay.calls.isEmpty)
        keys.setLocked(false)
        await stage.relay.answer { _ in
            #expect(keys.bytes != nil)
            return nil
        }
        try await stage.client.register(Self.target)
        #expect(await stage.relay.kinds == [.register])
    }

    @Test("An app that is installed again with its keys has its address, without them it gets another")
    func reinstalled() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        let address = try await stage.client.address()
        // The list of chats ends with the app, the Keychain does not.
        let again = try RelayStage(earlier: stage, keys: stage.keys)
        #expect(try await again.client.address() == address)
        let other = try RelayStage(earlier: stage, keys: InMemoryRelayStorage())
        try await other.client.register(Self.target)
        #expect(try await other.client.address() != address)
        #expect(await stage.relay.known.count == 2)
    }

    @Test("Damaged keys are replaced")
    func damaged() async throws {
        let keys = InMemoryRelayStorage()
        try keys.save(Data("{".utf8))
        let stage = try RelayStage(keys: keys)
        try await stage.client.register(Self.target)
        #expect(try JSONDecoder().decode(RelayState.self, from: try #require(keys.bytes)).address != nil)
        #expect(stage.log.lines(.error) == ["discarded the stored keys, which are damaged"])
    }

    @Test("A closed address is forgotten with its secrets, and registering opens it again")
    func closed() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        let address = try await stage.client.address()
        _ = try await stage.client.route(from: try gateway())
        try await stage.client.close()
        #expect(try await stage.client.address() == nil)
        #expect(await stage.client.standing == .notRegistered)
        #expect(try await stage.client.storedRoute(from: try gateway()) == nil)
        let known = await stage.relay.known.values.first
        #expect(known?.isGone == true && known?.secrets.isEmpty == true)
        try await stage.client.register(Self.target)
        #expect(try await stage.client.address() == address)
    }

    @Test("A relay whose addresses change gives another one, and the gateways new secrets")
    func identityChanged() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        let route = try await stage.client.route(from: try gateway())
        await stage.relay.changeIdentity(to: "second")
        #expect(try await stage.client.check() == .notRegistered)
        try await stage.client.register(Self.target)
        let other = try await stage.client.route(from: try gateway())
        #expect(other.address != route.address && other.sendSecret != route.sendSecret)
        #expect(other.publicKey == route.publicKey)
    }

    @Test("An app with another base URL of the same relay keeps its address and the gateways' secrets")
    func otherURL() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        let route = try await stage.client.route(from: try gateway())
        let later = try RelayStage(earlier: stage, at: "push.example.org")
        #expect(try await later.client.address() == route.address)
        #expect(try await later.client.check() == .registered)
        await later.relay.move(to: "push.example.org")
        try await later.client.register(Self.target)
        let moved = try await later.client.route(from: try gateway())
        #expect(moved.address == route.address.replacing(ScriptedRelay.host, with: "push.example.org"))
        #expect(moved.secrets == route.secrets)
        _ = try await later.client.check()
        #expect(await later.relay.known.values.first?.secrets.count == 1)
    }

    @Test("An app of another relay drops the address when that one says that it does not know it, and not before")
    func otherRelay() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        let route = try await stage.client.route(from: try gateway())
        let later = try RelayStage(earlier: stage, at: "push.example.org")
        await later.relay.answer(GatewayResponse(status: 503))
        await #expect(throws: RelayError.self) { try await later.client.check() }
        #expect(try await later.client.route(from: try gateway()) == route)
        await later.relay.answer(nil)
        await later.relay.changeIdentity(to: "second")
        await later.relay.restore([:])
        #expect(try await later.client.check() == .notRegistered)
        #expect(try await later.client.address() == nil)
        try await later.client.register(Self.target)
        #expect(try await later.client.route(from: try gateway()).sendSecret != route.sendSecret)
    }

    // MARK: The clocks

    @Test("A clock that is hours off is corrected by the relay's, once", arguments: [-2, -1.5, 2, 48])
    func clock(hours: Double) async throws {
        let stage = try RelayStage()
        await stage.relay.setLead(Int64(hours * 3_600))
        try await stage.client.register(Self.target)
        #expect(await stage.relay.kinds == [.register, .register])
        _ = try await stage.client.route(from: try gateway())
        #expect(await stage.relay.kinds == [.register, .register, .newSecret])
        #expect(await stage.relay.refusedSignatures == 1)
    }

    @Test("A clock that is an hour off is near enough", arguments: [-3_600, 3_600] as [Int64])
    func nearlyRight(seconds: Int64) async throws {
        let stage = try RelayStage()
        await stage.relay.setLead(seconds)
        try await stage.client.register(Self.target)
        #expect(await stage.relay.kinds == [.register])
    }

    @Test("A relay that refuses the corrected time too is not asked a third time")
    func wrongTime() async throws {
        let stage = try RelayStage()
        await stage.relay.answer(GatewayResponse(status: 401, body: Data(#"{"error":"clock","time":7}"#.utf8)))
        await #expect(throws: RelayError.unauthorized) { try await stage.client.register(Self.target) }
        #expect(await stage.relay.calls.count == 2)
    }

    // MARK: Send secrets

    @Test("Each gateway gets a secret of its own, once, which is revoked singly")
    func secrets() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        let (one, two) = (try gateway(), try gateway("two"))
        let route = try await stage.client.route(from: one)
        let other = try await stage.client.route(from: two)
        #expect(route.address == other.address && route.sendSecret != other.sendSecret)
        #expect(route.collapseKey != other.collapseKey && route.collapseKey.count == 32)
        #expect(try await stage.client.route(from: one) == route)
        let later = try RelayStage(earlier: stage)
        #expect(try await later.client.route(from: one) == route)
        #expect(await stage.relay.kinds == [.register, .newSecret, .newSecret])
        try await stage.client.revoke(one)
        #expect(await stage.relay.known.values.first?.secrets.values.map { $0 } == [other.sendSecret])
        #expect(try await stage.client.storedRoute(from: one) == nil)
        #expect(try await stage.client.storedRoute(from: two) == other)
    }

    @Test("A route names the keys in the form of a browser's subscription")
    func routeForm() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        let secrets = try await stage.client.route(from: try gateway()).secrets
        #expect(Set(secrets.keys) == ["send_secret", "p256dh", "auth", "collapse_key"])
        #expect(secrets.mapValues(\.count) == ["send_secret": 43, "p256dh": 87, "auth": 22, "collapse_key": 43])
    }

    @Test("A secret that could not be revoked is revoked when the address is checked")
    func revokedLater() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        _ = try await stage.client.route(from: try gateway())
        await stage.relay.answer(GatewayResponse(status: 503))
        try await stage.client.revoke(try gateway())
        #expect(await stage.relay.known.values.first?.secrets.count == 1)
        await stage.relay.answer(nil)
        let later = try RelayStage(earlier: stage)
        _ = try await later.client.check()
        #expect(await stage.relay.known.values.first?.secrets.isEmpty == true)
        await stage.relay.forgetCalls()
        _ = try await later.client.check()
        #expect(await stage.relay.kinds == [.check])
    }

    @Test("A secret whose answer was lost is revoked, because no gateway has it")
    func lostSecret() async throws {
        let stage = try RelayStage()
        try await stage.client.register(Self.target)
        await stage.relay.change { $0.secrets["lost"] = "x" }
        let route = try await stage.client.route(from: try gateway())
        _ = try await stage.client.check()
        #expect(await stage.relay.known.values.first?.secrets.values.map { $0 } == [route.sendSecret])
    }

    @Test("An installation without an address gets no secret, and makes no call for it")
    func withoutAddress() async throws {
        let stage = try RelayStage()
        await #expect(throws: RelayError.unknownAddress) { try await stage.client.route(from: try gateway()) }
        #expect(await stage.relay.calls.isEmpty)
    }

    // MARK: Refusals

    struct Refusal: Sendable {
        let status: Int
        var body = ""
        let error: RelayError
        var isFinal = false
    }

    @Test(
        "An answer gives its error, and only a refusal says that the installation is not registered",
        arguments: [
            Refusal(
                status: 400, body: #"{"error":"invalid","message":"m"}"#, error: .invalidRequest(message: "m"),
                isFinal: true),
            Refusal(status: 400, body: "x", error: .invalidRequest(message: nil), isFinal: true),
            Refusal(
                status: 413, body: #"{"error":"invalid","message":"m"}"#, error: .invalidRequest(message: "m"),
                isFinal: true),
            Refusal(status: 413, body: "x", error: .unexpectedAnswer(status: 413)),
            Refusal(status: 401, body: "{}", error: .unauthorized, isFinal: true),
            Refusal(status: 403, body: #"{"error":"not_admitted"}"#, error: .notAdmitted, isFinal: true),
            Refusal(status: 403, body: "<html>", error: .unexpectedAnswer(status: 403)),
            Refusal(status: 404, body: "x", error: .unexpectedAnswer(status: 404)),
            Refusal(status: 429, error: .later(retryAfter: nil)),
            Refusal(status: 500, error: .later(retryAfter: nil)),
            Refusal(status: 503, error: .later(retryAfter: nil)),
            Refusal(status: 302, error: .unexpectedAnswer(status: 302)),
            Refusal(status: 200, body: "<html>", error: .unexpectedAnswer(status: 200)),
            Refusal(status: 200, body: #"{"address":"https://x/y"}"#, error: .unexpectedAnswer(status: 200)),
        ])
    func refusals(_ refusal: Refusal) async throws {
        let stage = try RelayStage()
        await stage.relay.answer(GatewayResponse(status: refusal.status, body: Data(refusal.body.utf8)))
        await #expect(throws: refusal.error) { try await stage.client.register(Self.target) }
        #expect(await stage.client.standing == (refusal.isFinal ? .notRegistered : .unknown))
        #expect(try await stage.client.address() == nil)
    }

    @Test("After Retry-After the relay is not called for that time")
    func pause() async throws {
        let stage = try RelayStage()
        await stage.relay.answer(GatewayResponse(status: 429, retryAfter: "30"))
        await #expect(throws: RelayError.later(retryAfter: .seconds(30))) {
            try await stage.client.register(Self.target)
        }
        await stage.relay.answer(nil)
        stage.clock.advance(by: 20)
        await #expect(throws: RelayError.later(retryAfter: .seconds(10))) {
            try await stage.client.register(Self.target)
        }
        #expect(await stage.relay.calls.count == 1)
        stage.clock.advance(by: 10)
        try await stage.client.register(Self.target)
    }

    @Test("A relay that cannot be reached is an error without the request")
    func unreachable() async throws {
        let stage = try RelayStage()
        await stage.relay.answer { _ in throw URLError(.cannotConnectToHost) }
        await #expect(throws: RelayError.unreachable(reason: "nothing listens there")) {
            try await stage.client.register(Self.target)
        }
    }

    /// An admission that notes what it is asked for.
    private final class Proofs: RelayAdmission {
        let state = Mutex((data: [String](), acceptances: 0, refusals: 0))

        func proof(for clientData: Data) async throws -> RelayAdmissionProof {
            state.withLock { $0.data.append(String(decoding: clientData, as: UTF8.self)) }
            return .secret("s3cret")
        }

        func wasAccepted() async { state.withLock { $0.acceptances += 1 } }
        func wasRefused() async { state.withLock { $0.refusals += 1 } }
    }

    @Test("A proof of admission is about the installation's key and the call's time, and a refused one is given up")
    func admission() async throws {
        let proofs = Proofs()
        let stage = try RelayStage(admission: proofs)
        await stage.relay.answer(GatewayResponse(status: 403, body: Data(#"{"error":"not_admitted"}"#.utf8)))
        await #expect(throws: RelayError.notAdmitted) { try await stage.client.register(Self.target) }
        await stage.relay.answer(nil)
        stage.clock.advance(by: 60)
        try await stage.client.register(Self.target)
        let (data, acceptances, refusals) = proofs.state.withLock { $0 }
        #expect(refusals == 1 && acceptances == 1)
        let lines = data.map { $0.split(separator: "\n").map(String.init) }
        #expect(lines.map(\.first) == ["pushgate-relay-attest-v1", "pushgate-relay-attest-v1"])
        #expect(Set(lines.map { $0[1] }).count == 1 && lines.allSatisfy { $0[1].count == 87 })
        let times = await stage.relay.calls.map(\.signedAt)
        #expect(lines.map(\.last) == times && Set(times).count == 2)
        #expect(await stage.relay.calls.allSatisfy { $0.body.contains("s3cret") })
    }

    @Test("After a correction of the clock the call has a proof for the new time")
    func admissionAfterCorrection() async throws {
        let proofs = Proofs()
        let stage = try RelayStage(admission: proofs)
        await stage.relay.setLead(7_200)
        try await stage.client.register(Self.target)
        let (data, acceptances, refusals) = proofs.state.withLock { $0 }
        let times = await stage.relay.calls.map(\.signedAt)
        #expect(data.map { $0.split(separator: "\n").last.map(String.init) } == times && Set(times).count == 2)
        #expect(acceptances == 1 && refusals == 0)
    }

    /// An admission that asserts by an attested key until its proof is refused, as App Attest does.
    private final class Attestation: RelayAdmission {
        let state = Mutex((isAttested: true, refusals: 0, acceptances: 0))

        func proof(for clientData: Data) async throws -> RelayAdmissionProof {
            state.withLock { $0.isAttested } ? .assertion(keyID: "a", clientData) : .attestation(keyID: "b", clientData)
        }

        func wasAccepted() async { state.withLock { $0.acceptances += 1 } }

        func wasRefused() async {
            state.withLock {
                $0.isAttested = false
                $0.refusals += 1
            }
        }
    }

    @Test("Relay restored from yesterday's backup: a refused assertion is followed by an attestation at once")
    func refusedAssertion() async throws {
        let admission = Attestation()
        let stage = try RelayStage(admission: admission)
        let refusal = GatewayResponse(status: 403, body: Data(#"{"error":"not_admitted"}"#.utf8))
        await stage.relay.answer { call in call.body.contains("assertion") ? refusal : nil }
        try await stage.client.register(Self.target)
        #expect(await stage.relay.kinds == [.register, .register])
        #expect(await stage.client.standing == .registered)
        let (refusals, acceptances) = admission.state.withLock { ($0.refusals, $0.acceptances) }
        #expect(refusals == 1 && acceptances == 1)
    }

    @Test("A relay that refuses the attestation too is not asked a third time")
    func refusedAttestation() async throws {
        let admission = Attestation()
        let stage = try RelayStage(admission: admission)
        await stage.relay.answer(GatewayResponse(status: 403, body: Data(#"{"error":"not_admitted"}"#.utf8)))
        await #expect(throws: RelayError.notAdmitted) { try await stage.client.register(Self.target) }
        #expect(await stage.relay.calls.count == 2)
        let acceptances = admission.state.withLock { $0.acceptances }
        #expect(acceptances == 0)
    }

    // MARK: Secrecy

    @Test("Neither the log nor descriptions have keys, secrets or tokens")
    func secrecy() async throws {
        let stage = try RelayStage(admission: AppSecretAdmission(secret: "s3cret"))
        try await stage.client.register(Self.target)
        let route = try await stage.client.route(from: try gateway())
        await stage.relay.answer(GatewayResponse(status: 503))
        try await stage.client.revoke(try gateway())
        await #expect(throws: RelayError.self) { try await stage.client.check() }
        var texts = stage.log.all.map(\.description)
        #expect(texts.count >= 3)
        var dumped = ""
        dump(stage.client, to: &dumped)
        dump(AppSecretAdmission(secret: "s3cret"), to: &dumped)
        texts += [dumped, "\(AppSecretAdmission(secret: "s3cret"))", "\(stage.client)"]
        for text in texts {
            for secret in [RelayStage.token, "s3cret", route.sendSecret, route.address] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
    }
}
