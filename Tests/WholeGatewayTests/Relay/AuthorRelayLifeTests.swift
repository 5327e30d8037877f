import APNsSimulator
import DocumentStore
import Foundation
import Gateway
import JSON
import PushgateClient
import TestDoubles
import TestSupport
import Testing

/// Tests the whole way: client library, a self-hoster's gateway, the author's relay, Apple's side, and back into the
/// client library.
@Suite("Author's relay with its senders and apps", .timeLimit(.minutes(10)))
struct AuthorRelayLifeTests {
    /// Waits until the relay has removed the token of an address.
    private func forgets(_ world: RelayWorld, _ address: String) async throws {
        let path = try DocumentPath("relayAddresses/\(address.split(separator: "/").last ?? "")")
        try await eventually("the relay removes the token") {
            try await world.relay.gateway.store.document(at: path) == nil
        }
    }

    /// Reports a finished reply, and returns the answer, after the relay's.
    private func trigger(_ phone: RelayedPhone, _ gateway: RunningGateway, _ text: String) async throws -> JSONValue {
        let answer = try await phone.daemon(at: gateway).trigger(cwd: RelayedPhone.cwd, preview: text, waiting: 20)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.body
    }

    @Test("A reply passes gateway and relay sealed, and the app opens its title, text and data")
    func wholeWay() async throws {
        try await withRelayWorld { world, gateway in
            let phone = try RelayedPhone(world.hosts)
            try await phone.launch()
            #expect(try await phone.subscriptions.registrations() == [RelayWorld.sender: .registered])
            #expect(try await trigger(phone, gateway, "All tests pass.")["sent"] == 1)
            let notification = try #require(try await world.apns.simulator.wait(for: 1).first)
            #expect(notification.token == phone.token && notification.isAccepted)
            let aps = notification.payload?["aps"]
            #expect(aps == ["alert": ["title": "New notification"], "mutable-content": 1])
            let payload = String(decoding: notification.body, as: UTF8.self)
            for text in ["The agent", "All tests pass.", RelayedPhone.cwd, "reply_finished"] {
                #expect(!payload.contains(text), "\(text)")
            }
            let opened = try #require(phone.open(notification))
            #expect(opened.title == "The agent" && opened.body == "All tests pass.")
            #expect(opened.collapseID == phone.chat().agentKey && opened.threadID == phone.chat().agentKey)
            #expect(notification.collapseID?.count == 22 && notification.collapseID != opened.collapseID)
            guard case .replyFinished(let reply)? = PushPayload(userInfo: opened.data) else {
                Issue.record("the data is no reply: \(opened.data)")
                return
            }
            #expect(reply.cwd == RelayedPhone.cwd)
            let destination = try await phone.subscriptions.destination(of: reply, projects: [phone.chat()])
            #expect(destination == .chat(phone.chat()))
        }
    }

    @Test("A card passes gateway and relay sealed, from its start to its end, and the widget opens each content")
    func card() async throws {
        try await withRelayWorld { world, gateway in
            let start = Data((0..<80).map { _ in UInt8.random(in: .min ... .max) })
            let screen = SimulatedPhone(
                bundleID: RunningSimulator.bundleID,
                pushToStartToken: start.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
            world.apns.simulator.connect(screen)
            let phone = try RelayedPhone(world.hosts)
            try await phone.subscriptions.liveActivityDidChange(to: LiveActivityRegistration(startToken: start))
            try await phone.launch()
            let daemon = try phone.daemon(at: gateway)
            func report(_ more: JSONObject) async throws {
                var body: JSONObject = ["cwd": .string(RelayedPhone.cwd)]
                for (name, value) in more.members { body[name] = value }
                let answer = try await gateway.caller.call("updateReply", .object(body), secret: daemon.secret)
                #expect(answer.body["devices"] == 1, "\(answer.text)")
            }
            func shows(_ text: String) async throws -> SimulatedPhone.Card {
                try await eventually("the card shows \(text)") {
                    screen.cards.last.flatMap { phone.open($0) }?.state.text == text
                }
                return try #require(screen.cards.last)
            }
            try await report(["text": "Reading secrets"])
            let card = try await shows("Reading secrets")
            #expect(card.attributesType == "SealedRunActivityAttributes" && card.contentState.members.count == 1)
            #expect(phone.open(card)?.title == "The agent" && phone.open(card)?.data["cwd"] == RelayedPhone.cwd)
            try await report(["text": "Which secret branch?", "state": "waiting"])
            let waiting = try #require(phone.open(try await shows("Which secret branch?")))
            #expect(waiting.state.phase == .waiting)
            _ = try await trigger(phone, gateway, "All secret tests pass.")
            let ended = try await shows("All secret tests pass.")
            #expect(ended.isEnded && ended.dismissal == ended.timestamp + 900)
            #expect(screen.cards.count == 1 && world.apns.simulator.peakChannels == 1)
            for notification in world.apns.simulator.received() {
                #expect(!String(decoding: notification.body, as: UTF8.self).contains("secret"))
            }
        }
    }

    @Test("A 410 travels back to the library, which registers again with the relay and its gateway")
    func gone() async throws {
        try await withRelayWorld { world, gateway in
            let phone = try RelayedPhone(world.hosts)
            try await phone.launch()
            let address = try #require(try await phone.relay.address())
            world.apns.simulator.script(token: phone.token, answers: [.rejecting(.unregistered)])
            #expect(try await trigger(phone, gateway, "lost with the token")["sent"] == 1)
            try await forgets(world, address)
            let refused = try await trigger(phone, gateway, "refused")
            #expect(refused["sent"] == 0 && refused["pruned"] == 1)
            #expect(try await trigger(phone, gateway, "nobody")["attempted"] == 0)
            // The user opens the chat again: the gateway's answer says that the registration had ended.
            #expect(try await phone.subscriptions.subscribe(to: phone.chat()) == .registered)
            #expect(try await phone.relay.address() == address)
            #expect(try await trigger(phone, gateway, "after")["sent"] == 1)
            try await eventually("it arrives") { phone.bodies(world.apns) == ["after"] }
        }
    }

    @Test(
        "The gateway's key rotated: its phones stay, because the relay knows secrets and no gateway",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func rotatedKey() async throws {
        try await withSimulator { apns in
            try await RelayWorld.running(apns) { world in
                let phone = try RelayedPhone(world.hosts)
                try await withDataDirectory { directory in
                    try await world.withSender(in: directory) { _ in try await phone.launch() }
                    // A process holds its data directory as long as it lives, so the second gateway gets a copy.
                    let copy = directory + "-restored"
                    try FileManager.default.copyItem(atPath: directory, toPath: copy)
                    for name in ["gateway-key", "admin-token"] {
                        try FileManager.default.removeItem(atPath: "\(copy)/\(name)")
                    }
                    try await world.withSender(in: copy) { gateway in
                        #expect(try await trigger(phone, gateway, "after")["sent"] == 1)
                        try await eventually("it arrives") { phone.bodies(apns) == ["after"] }
                    }
                }
            }
        }
    }

    @Test("Reinstall: an app without its former keys gets another address, and the former one ends by itself")
    func reinstall() async throws {
        try await withRelayWorld { world, gateway in
            let phone = try RelayedPhone(world.hosts)
            try await phone.launch()
            let former = try #require(try await phone.relay.address())
            let again = try RelayedPhone(world.hosts)
            try await again.launch()
            #expect(try await again.relay.address() != former)
            world.apns.simulator.script(token: phone.token, answers: [.rejecting(.unregistered)])
            #expect(try await trigger(phone, gateway, "to the removed app")["sent"] == 1)
            try await forgets(world, former)
            #expect(try await trigger(phone, gateway, "refused")["pruned"] == 1)
            #expect(try await trigger(again, gateway, "to the new one")["sent"] == 1)
            try await eventually("it arrives") { again.bodies(world.apns) == ["to the new one"] }
            #expect(phone.bodies(world.apns).isEmpty)
        }
    }

    @Test("Two gateways, one phone: each has a secret of its own, and one ends without the other")
    func twoGateways() async throws {
        let (first, second) = ("one.example.com", "two.example.com")
        try await withSimulator { apns in
            try await RelayWorld.running(apns) { world in
                let phone = try RelayedPhone(world.hosts, at: [first, second])
                try await world.withSender(first) { one in
                    try await world.withSender(second) { two in
                        try await phone.launch()
                        let daemons = try [phone.daemon(at: one, first), phone.daemon(at: two, second)]
                        for (number, daemon) in daemons.enumerated() {
                            #expect(try await daemon.trigger(preview: "\(number)", waiting: 20).body["sent"] == 1)
                        }
                        try await eventually("both arrive") { Set(phone.bodies(apns)) == ["0", "1"] }
                        try await phone.relay.revoke(try #require(GatewayURL("https://\(first)")))
                        let refused = try await daemons[0].trigger(preview: "2", waiting: 20).body
                        #expect(refused["sent"] == 0 && refused["pruned"] == 1)
                        #expect(try await daemons[1].trigger(preview: "3", waiting: 20).body["sent"] == 1)
                        try await eventually("the other's arrives") { phone.bodies(apns).last == "3" }
                        #expect(phone.bodies(apns).count == 3)
                    }
                }
            }
        }
    }

    @Test("Send secret stolen: it sends nothing that opens, and is revoked alone, and the gateway gets another")
    func stolenSecret() async throws {
        try await withRelayWorld { world, gateway in
            let phone = try RelayedPhone(world.hosts)
            try await phone.launch()
            let url = try #require(GatewayURL("https://\(RelayWorld.sender)"))
            let route = try await phone.relay.route(from: url)
            let secret = try #require(route.secrets["send_secret"])
            try await world.withSender("thief.example.com") { thief in
                let daemon = Daemon(thief.caller)
                let secrets: JSONObject = [
                    "send_secret": .string(secret), "p256dh": .string(SampleSubscription.p256dh),
                    "auth": .string(SampleSubscription.auth), "collapse_key": "AAAAAAAAAAAAAAAAAAAAAA",
                ]
                let registered = try await daemon.register(
                    "stolen", token: route.address, cwd: "/tmp", ["relay": .object(secrets)])
                #expect(registered.status == 200, "\(registered.text)")
                let stolen = try await daemon.trigger(cwd: "/tmp", preview: "I am your agent", waiting: 20)
                #expect(stolen.body["sent"] == 1)
                try await eventually("it arrives, and does not open") { phone.bodies(world.apns) == [nil] }
                let report = try await phone.subscriptions.replaceSendSecret(of: RelayWorld.sender)
                #expect(report.registered == [phone.chat()] && report.failed.isEmpty)
                let refused = try await daemon.trigger(cwd: "/tmp", preview: "again", waiting: 20)
                #expect(refused.body["sent"] == 0 && refused.body["pruned"] == 1)
            }
            #expect(try await trigger(phone, gateway, "honest")["sent"] == 1)
            try await eventually("the gateway's arrives") { phone.bodies(world.apns) == [nil, "honest"] }
        }
    }

    @Test(
        "Clock of either side off by an hour, or by more: the phone registers and gets its notifications",
        arguments: [-7_200, -3_540, 3_540, 7_200, 2_592_000] as [TimeInterval])
    func clock(lead: TimeInterval) async throws {
        try await withRelayWorld { world, gateway in
            let phone = try RelayedPhone(world.hosts, lead: lead)
            try await phone.launch()
            #expect(try await trigger(phone, gateway, "on time")["sent"] == 1)
            try await eventually("it arrives") { phone.bodies(world.apns) == ["on time"] }
        }
    }

    @Test("Token that changes while messages wait: all of them arrive with the new one")
    func changedToken() async throws {
        try await withRelayWorld { world, gateway in
            let phone = try RelayedPhone(world.hosts)
            let busy = ScriptedAnswer(status: 503, reason: "ServiceUnavailable", count: nil)
            world.apns.simulator.script(token: phone.token, answers: [busy])
            let folders = (1...5).map { "/srv/app-\($0)" }
            for folder in folders { try await phone.launch(folder) }
            for folder in folders {
                let answer = try await phone.daemon(at: gateway).trigger(cwd: folder, preview: folder, waiting: 20)
                #expect(answer.body["sent"] == 1, "\(answer.text)")
            }
            try await eventually("all have failed once") { world.apns.simulator.counters.requests >= 5 }
            let launched = try RelayedPhone(world.hosts, earlier: phone)
            #expect(launched.token != phone.token)
            try await launched.subscriptions.tokenDidChange(to: launched.token)
            try await eventually("all arrive") { Set(launched.bodies(world.apns).compactMap(\.self)) == Set(folders) }
            #expect(launched.bodies(world.apns).count == folders.count)
            #expect(phone.bodies(world.apns).isEmpty)
        }
    }

    @Test(
        "Relay restored from yesterday's backup: messages wait, and the phone's next launch repairs everything",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func restored() async throws {
        try await withSimulator { apns in
            try await withTemporaryDirectory { folder in
                let hosts = HostTable()
                let phone = try RelayedPhone(hosts)
                let (relay, gateway) = ("\(folder)/relay", "\(folder)/gateway")
                try await RelayWorld.running(in: "\(folder)/first", apns, hosts) { _ in }
                for copy in [relay, "\(folder)/yesterday"] {
                    try FileManager.default.copyItem(atPath: "\(folder)/first", toPath: copy)
                }
                var address: String?
                try await RelayWorld.running(in: relay, apns, hosts) { world in
                    try await world.withSender(in: gateway) { _ in try await phone.launch() }
                    address = try await phone.relay.address()
                }
                try FileManager.default.copyItem(atPath: gateway, toPath: "\(gateway)-restored")
                try await RelayWorld.running(in: "\(folder)/yesterday", apns, hosts) { world in
                    try await world.withSender(in: "\(gateway)-restored") { gateway in
                        let waiting = try await phone.daemon(at: gateway).trigger(preview: "waits", waiting: 1).body
                        #expect(waiting["sent"] == 0 && waiting["pending"] == 1 && waiting["pruned"] == 0)
                        let launched = try RelayedPhone(hosts, token: phone.token, earlier: phone)
                        let report = try await launched.subscriptions.tokenDidChange(to: phone.token)
                        #expect(report.registered == [phone.chat()] && report.relayError == nil)
                        #expect(try await launched.relay.address() == address)
                        #expect(try await trigger(phone, gateway, "after")["sent"] == 1)
                        try await eventually("it arrives") { phone.bodies(apns).last == "after" }
                    }
                }
            }
        }
    }

    @Test("Phone without a registration: both consoles and the app say so, until it registers")
    func withoutRegistration() async throws {
        try await withRelayWorld { world, gateway in
            let made = try await gateway.caller.call("createPairing", ["cwd": "/srv/app"], secret: .randomSecret())
            let url = try #require(GatewayURL("https://\(RelayWorld.sender)"))
            let code = try #require(made.body["code"]?.string)
            let link = try #require(PairingLink(gateway: url, code: code))
            let pairing = try await link.pair(by: world.hosts)
            let phone = try RelayedPhone(
                world.hosts, servers: [PushServer(id: RelayWorld.sender, pairing: pairing)])
            try await phone.subscriptions.tokenDidChange(to: phone.token)
            let id = try #require(try await phone.relay.address()?.split(separator: "/").last)
            let (user, author) = (try await ConsoleUser(gateway), try await ConsoleUser(world.relay))
            func keys() async throws -> String { try await user.get("/console/keys").text }
            func page() async throws -> String {
                try await author.get("/console/devices/device?path=relayAddresses%2F\(id)").text
            }
            #expect(try await keys().contains("subscribe, without a registration"))
            #expect(try await page().contains("it has registered here and with no gateway"))
            #expect(try await phone.subscriptions.registrations() == [RelayWorld.sender: .notRegistered])
            #expect(try await phone.subscriptions.subscribe(to: phone.chat()) == .registered)
            #expect(try await !keys().contains("subscribe, without a registration"))
            #expect(try await !page().contains("with no gateway"))
            #expect(try await phone.subscriptions.registrations() == [RelayWorld.sender: .registered])
        }
    }
}
