import DocumentStore
import JSON
import Messaging
import TestDoubles
import Testing

@testable import RelayTransport

@Suite("Transport to relays", .timeLimit(.minutes(10)))
struct AuthorRelayTransportTests {
    @Test("The phone opens what the relay gets, and the relay gets nothing else of the message")
    func sealed() async throws {
        let (relay, phone) = (ScriptedRelay(), try RelayPhone())
        let bench = RelayBench(relay)
        let message = Message(
            notification: Message.Notification(title: "secret title", body: "secret body"),
            data: ["path": "/secret/path"],
            apns: Message.APNsConfiguration(headers: ["apns-collapse-id": "secret agent"]))
        #expect(try await bench.send(message, to: phone) == .accepted)
        let request = try #require(relay.requests.first)
        #expect(request.url == "https://push.example.com/relay/v1/send")
        #expect(request.authorization == "Bearer \(phone.sendSecret)")
        #expect(!String(decoding: request.body, as: UTF8.self).contains("secret"))
        let body = try #require(relay.bodies.first)
        let names = body.object?.members.map(\.name)
        #expect(names == ["address", "id", "sealed", "collapse", "priority", "ttl", "kind"])
        #expect(body["address"] == .string(phone.address))
        #expect(body["id"] == .string(try RelayBench.notification(to: phone.registered()).id.description))
        #expect(body["collapse"] == .string(CollapseDigest.text(of: "secret agent", key: phone.collapseKey)))
        #expect(body["priority"] == "high" && body["ttl"] == 3_600 && body["kind"] == "alert")
        let opened = try phone.open(try #require(body["sealed"]?.string))
        #expect(opened.json["title"] == "secret title" && opened.json["data"]?["path"] == "/secret/path")
        #expect(opened.json["collapse_id"] == "secret agent" && opened.size == 256)
    }

    @Test("The relay gets the facts of a card that Apple needs, and the phone opens the rest; only updates wait")
    func card() async throws {
        let (relay, phone) = (ScriptedRelay(), try RelayPhone())
        let bench = RelayBench(relay)
        func update(_ text: String, priority: String = "5", event: String = "update") async throws -> Outcome {
            let message = Message(
                notification: Message.Notification(title: "secret title", body: "b"), data: ["run_id": "secret run"],
                apns: Message.APNsConfiguration(
                    headers: [
                        "apns-push-type": "liveactivity", "apns-priority": priority, "apns-collapse-id": "secret card",
                    ],
                    payload: [
                        "aps": [
                            "event": .string(event), "timestamp": 1_800_000_000,
                            "content-state": ["text": .string(text)],
                        ]
                    ]))
            return try await bench.send(message, to: phone)
        }
        #expect(try await update("secret text") == .accepted)
        let body = try #require(relay.bodies.first)
        let names = body.object?.members.map(\.name)
        #expect(names == ["address", "id", "sealed", "priority", "ttl", "kind", "card"])
        #expect(!body.text.contains("secret") && body["kind"] == "liveactivity" && body["priority"] == "normal")
        let id = CollapseDigest.text(of: "secret card", key: phone.collapseKey)
        #expect(body["card"] == ["id": .string(id), "event": "update", "timestamp": 1_800_000_000])
        let opened = try phone.open(try #require(body["sealed"]?.string))
        #expect(opened.json["title"] == "secret title" && opened.json["data"] == ["run_id": "secret run"])
        #expect(opened.json["state"] == ["text": "secret text"] && opened.size == 256)

        let early = try await update("again").failure
        #expect(early?.reason == "CardWaits" && early?.retryAfter == .seconds(15) && early?.isAttempt == false)
        #expect(try await update("Push?", priority: "10") == .accepted)
        #expect(try await update("again").failure?.retryAfter == .seconds(15))
        bench.advance(by: .seconds(15))
        #expect(try await update("again") == .accepted)
        #expect(try await update("done", event: "end") == .accepted)
        #expect(relay.bodies.count == 4)
    }

    @Test("Each attempt has the notification's id, and a sealed text of its own")
    func repeated() async throws {
        let (relay, phone) = (ScriptedRelay([.noConnection]), try RelayPhone())
        let bench = RelayBench(relay)
        #expect(try await bench.send(to: phone).failure != nil)
        #expect(try await bench.send(to: phone) == .accepted)
        let bodies = relay.bodies
        #expect(bodies.count == 2 && bodies[0]["id"] == bodies[1]["id"])
        #expect(bodies[0]["sealed"] != bodies[1]["sealed"])
        #expect(bodies[0]["collapse"] == nil)
    }

    @Test("A relay that is named holds up its own lane while there is no connection, and one of many rests instead")
    func down() async throws {
        let phone = try RelayPhone()
        let own = RelayBench(ScriptedRelay([.noConnection]))
        let failure = try await own.send(to: phone).failure
        #expect(failure?.laneFailure == .unreachable && failure?.reason == "couldNotConnect")
        #expect(own.transport.window(of: try phone.registered().lane) == 50)

        let relay = ScriptedRelay([.noConnection])
        let shared = RelayBench(relay, hosts: ["*"])
        #expect(try await shared.send(to: phone).failure?.laneFailure == nil)
        let rest = try await shared.send(to: phone).failure
        #expect(rest?.reason == "RelayResting" && rest?.retryAfter == .seconds(10))
        // Strangers' hosts of the domain rest with it, and another domain does not.
        #expect(try await shared.send(to: RelayPhone("relay:b.example.com/a")).reason == "RelayResting")
        #expect(try await shared.send(to: RelayPhone("relay:push.example.org/a")) == .accepted)
        #expect(relay.requests.count == 2)
        shared.advance(by: .seconds(10))
        #expect(try await shared.send(to: phone) == .accepted)
        #expect(shared.transport.window(of: try phone.registered().lane) == 4)
    }

    @Test("A request that broke on its way holds up no lane")
    func broken() async throws {
        let lost = ScriptedRelay.Answer.failure(RelayRequestError(kind: "connectionLost"))
        let failure = try await RelayBench(ScriptedRelay([lost])).send(to: RelayPhone()).failure
        #expect(failure?.laneFailure == nil && failure?.reason == "connectionLost")
    }

    @Test("An address that is gone, or whose secret is revoked, is removed")
    func gone() async throws {
        for answer in [ScriptedRelay.Answer.gone, .unauthorized] {
            #expect(try await RelayBench(ScriptedRelay([answer])).send(to: RelayPhone()).removesRegistration)
        }
    }

    @Test("A relay that was restored from a backup does not know an address: it is later for a day, and then gone")
    func restoredRelay() async throws {
        let phone = try RelayPhone()
        let bench = RelayBench(ScriptedRelay([.unknown, .unknown, .accepted, .unknown, .unknown]))
        #expect(try await bench.send(to: phone).reason == "AddressUnknown")
        bench.advance(by: .seconds(86_399))
        #expect(try await bench.send(to: phone).failure != nil)
        bench.advance(by: .seconds(1))
        // The app has called the relay, which knows the address again.
        #expect(try await bench.send(to: phone) == .accepted)
        #expect(try await bench.send(to: phone).failure != nil)
        bench.advance(by: .seconds(86_400))
        #expect(try await bench.send(to: phone).removesRegistration)
    }

    @Test("An address that is not known is gone after its day, over starts of the gateway in between")
    func restartedGateway() async throws {
        let (clock, phone) = (ManualClock(), try RelayPhone())
        let disk = try TemporaryStore(clock: clock)
        func outcome(_ answer: ScriptedRelay.Answer = .unknown) async throws -> Outcome {
            try await RelayBench(ScriptedRelay([answer]), clock: clock, on: disk).send(to: phone)
        }
        #expect(try await outcome().failure != nil)
        clock.advance(by: .seconds(86_399))
        #expect(try await outcome().reason == "AddressUnknown")
        clock.advance(by: .seconds(1))
        #expect(try await outcome().removesRegistration)
        // The phone has registered the address again.
        #expect(try await outcome().failure != nil)
        clock.advance(by: .seconds(43_200))
        #expect(try await outcome(.accepted) == .accepted)
        clock.advance(by: .seconds(43_200))
        #expect(try await outcome().failure != nil)
    }

    @Test("A relay that was down for days and was restored then: messages older than a day wait for another day")
    func longOutage() async throws {
        let (clock, phone) = (ManualClock(), try RelayPhone())
        let bench = RelayBench(
            ScriptedRelay([.noConnection, .unknown, .unknown, .accepted]), clock: clock,
            on: try TemporaryStore(clock: clock))
        let address = try phone.registered()
        let message = bench.transport.prepare(
            bench.outgoing(RelayBench.message, to: address, lifetime: 7 * 86_400))
        for seconds in [0, 3 * 86_400, 86_399, 0] as [Int64] {
            clock.advance(by: .seconds(seconds))
            let outcome = await message.send(RelayBench.notification(to: address))
            #expect(!outcome.removesRegistration)
        }
        #expect(bench.relay.requests.count == 4)
    }

    @Test("A note that is eight days old begins the day again, and one from the future counts from now")
    func oldNotes() async throws {
        let (clock, phone) = (ManualClock(), try RelayPhone())
        let disk = try TemporaryStore(clock: clock)
        _ = try await RelayBench(ScriptedRelay([.unknown]), clock: clock, on: disk).send(to: phone)
        clock.advance(by: .seconds(8 * 86_400))
        let later = RelayBench(ScriptedRelay([.unknown, .unknown]), clock: clock, on: disk)
        #expect(try await later.send(to: phone).failure != nil)
        clock.advance(by: .seconds(86_400))
        #expect(try await later.send(to: phone).removesRegistration)
        let records = UnknownAddressRecords(store: disk.documents) { clock.timestamp }
        #expect(try await records.ages().isEmpty)
        let ahead = UnknownAddressRecords(store: disk.documents) { clock.timestamp.adding(.seconds(3_600)) }
        try await ahead.add(RegistrationToken("relay:push.example.com/b"))
        #expect(try await records.ages().values.map { $0 } == [.zero])
    }

    @Test("Without its documents a gateway waits too, and removes nothing sooner")
    func storeFailure() async throws {
        let (clock, phone) = (ManualClock(), try RelayPhone())
        let disk = try TemporaryStore(clock: clock)
        await disk.engine.close()
        let bench = RelayBench(ScriptedRelay([.unknown, .unknown, .unknown]), clock: clock, on: disk)
        #expect(try await bench.send(to: phone).failure != nil)
        clock.advance(by: .seconds(86_399))
        #expect(try await bench.send(to: phone).failure != nil)
        clock.advance(by: .seconds(1))
        #expect(try await bench.send(to: phone).removesRegistration)
    }

    @Test("A relay that the operator does not name gets no request, and the registration stays")
    func notAllowed() async throws {
        let relay = ScriptedRelay()
        let bench = RelayBench(relay, hosts: ["other.example.com"])
        let outcome = try await bench.send(to: RelayPhone())
        #expect(outcome.reason == "RelayNotAllowed" && !outcome.removesRegistration && outcome.failure == nil)
        #expect(bench.hosts.replace(RelayHosts(["push.example.com"].compactMap { RelayHosts.Entry($0) })))
        #expect(try await bench.send(to: RelayPhone()) == .accepted)
        #expect(relay.requests.count == 1)
    }

    @Test("An address without its secrets is rejected without a request")
    func withoutSecrets() async throws {
        let bench = RelayBench(ScriptedRelay())
        let address = PushAddress(transport: .relay, token: RegistrationToken("relay:push.example.com/a"))
        let outcome = await bench.transport.prepare(bench.outgoing(RelayBench.message, to: address))
            .send(RelayBench.notification(to: address))
        #expect(outcome.reason == "InvalidRelayAddress" && !outcome.removesRegistration)
        #expect(bench.relay.requests.isEmpty)
    }

    @Test("A notification that a newer one replaces is given up by the body of its request")
    func cancelled() async throws {
        let gate = Gate()
        let relay = ScriptedRelay(gate: gate)
        let bench = RelayBench(relay)
        let phone = try RelayPhone()
        let id = try RelayBench.notification(to: phone.registered()).id
        async let outcome = bench.send(to: phone)
        try await eventually("the request is sent") { !relay.requests.isEmpty }
        #expect(bench.transport.cancel(id))
        #expect(relay.cancelled == relay.requests.map(\.body))
        gate.open()
        _ = try await outcome
    }

    @Test("An app that reports what arrives gets the address for receipts in its sealed text, and no other does")
    func receipts() async throws {
        let (relay, phone) = (ScriptedRelay(), try RelayPhone())
        let bench = RelayBench(relay)
        for asks in [true, false] {
            let address = try phone.registered().asking(forReceipts: asks)
            var outgoing = bench.outgoing(RelayBench.message, to: address)
            outgoing.receiptAddress = "https://push.example/r/1"
            _ = await bench.transport.prepare(outgoing).send(RelayBench.notification(to: address))
        }
        let texts = try relay.bodies.map { try phone.open($0["sealed"]?.string ?? "").json }
        #expect(texts.map { $0["data"]?["pushgate_receipt"]?.string } == ["https://push.example/r/1", nil])
    }

    @Test("A private address of a stranger's relay is told to no client")
    func privateAddress() async throws {
        let refused = ScriptedRelay.Answer.failure(RelayRequestError(kind: "addressRefused", isAddressRefused: true))
        let failure = try await RelayBench(ScriptedRelay([refused]), hosts: ["*"]).send(to: RelayPhone()).failure
        #expect(failure?.code == .serverUnavailable && failure?.reason == "AddressNotAllowed")
    }

    @Test("The log has no secret, no id and no text")
    func log() async throws {
        let phone = try RelayPhone()
        let bench = RelayBench(ScriptedRelay([.noConnection, .gone, .unknown]))
        for _ in 0..<3 { _ = try await bench.send(to: phone) }
        let log = bench.log.lines.joined()
        #expect(log.contains("failed to get a response from a relay"))
        for text in [phone.sendSecret, "AbCdEfGh", "Build"] { #expect(!log.contains(text)) }
    }
}
