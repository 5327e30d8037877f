import Cryptography
import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing
import WebPush

@Suite("Author's relay: messages", .timeLimit(.minutes(10)))
struct RelaySendTests {
    @Test("A message becomes an alert with the neutral text, which the app may replace by the sealed one")
    func alert() async throws {
        let bench = try RelayBench {
            $0.title = "Neuigkeit"
            $0.body = "App öffnen"
        }
        let sender = try await RelayApp(at: bench).sender()
        try await bench.running {
            let collapse = "abcdefghijklmnopqr-_tA"
            #expect(try await sender.send(["collapse": .string(collapse)]) == .relayAccepted)
            let sent = try #require(await bench.sent(1).first)
            #expect(sent.token == RelayApp.token)
            let apns = try #require(sent.message.message.apns)
            #expect(
                apns.headers == [
                    "apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": collapse,
                ])
            #expect(
                apns.payload == [
                    "aps": ["alert": ["title": "Neuigkeit", "body": "App öffnen"], "mutable-content": 1],
                    "pushgate_sealed": .string(RelaySender.sealed()),
                ])
            #expect(sent.message.message.notification == nil && sent.message.message.data.isEmpty)
            #expect(sent.message.expiration == bench.clock.seconds + 3_600)
        }
    }

    @Test("A message in the background has no alert and Apple's low priority")
    func background() async throws {
        let bench = try RelayBench()
        let sender = try await RelayApp(at: bench).sender()
        try await bench.running {
            #expect(try await sender.send(["kind": "background"]) == .relayAccepted)
            let apns = try #require(await bench.sent(1).first?.message.message.apns)
            #expect(apns.headers == ["apns-push-type": "background", "apns-priority": "5"])
            #expect(apns.payload["aps"] == ["content-available": 1])
        }
    }

    @Test("A message for now or never is tried for half a minute, and no other lives for more than 30 days")
    func lifetimes() async throws {
        let bench = try RelayBench()
        let sender = try await RelayApp(at: bench).sender()
        try await bench.running {
            for (number, ttl) in [0, 5, 100 * 86_400].enumerated() {
                let answer = try await sender.send(id: "n-\(number)", ["ttl": .integer(Int64(ttl))])
                #expect(answer == .relayAccepted)
            }
            let sent = await bench.sent(3)
            #expect(sent.map { $0.message.message.apns?.header("apns-expiration") } == ["0", nil, nil])
            #expect(sent.dropFirst().map { $0.message.expiration - bench.clock.seconds } == [5, 30 * 86_400])
        }
    }

    @Test("Browsers and Android's apps get the sealed content as data")
    func otherServices() async throws {
        let bench = try RelayBench()
        let (browser, android) = (try RelayApp(at: bench), try RelayApp(at: bench))
        let devices: [(RelayApp, JSONValue)] = [
            (browser, ["web_push": SampleSubscription.json()]), (android, ["fcm": ["token": "a:token-of-google"]]),
        ]
        for (app, device) in devices {
            let address = try #require(try await app.register(device).body["address"]?.string)
            let sender = RelaySender(bench: bench, address: address, secret: try await app.secret(of: address).text)
            #expect(try await sender.send(["collapse": "abc", "priority": "normal"]) == .relayAccepted)
        }
        try await bench.running {
            let messages = await bench.sent(2).map(\.message.message)
            let sealed = ["pushgate_sealed": RelaySender.sealed()]
            #expect(messages.allSatisfy { $0.data == sealed && $0.apns == nil && $0.notification == nil })
            let android = messages.compactMap(\.android)
            #expect(android == [["priority": "NORMAL", "ttl": "3600s", "collapseKey": "abc"]])
            let web = messages.filter { $0.webpush != nil }
            #expect(web.map { $0.webPushHeader("topic") } == ["abc"])
            #expect(web.map { $0.webPushHeader("urgency") } == ["normal"])
        }
    }

    @Test("An app chooses the neutral text for its user's language, and without one it is the relay's")
    func chosenText() async throws {
        let bench = try RelayBench { $0.body = "Open the app." }
        let app = try RelayApp(at: bench)
        let sender = try await app.sender()
        let choices: [JSONValue?] = [["title": "Neue Nachricht"], ["title": "Nouveau", "body": "Ouvrez."], nil]
        try await bench.running {
            for (number, choice) in choices.enumerated() {
                var body = try #require(RelayApp.device().object)
                body["text"] = choice
                #expect(try await app.register(.object(body)).status == .ok)
                #expect(try await sender.send(id: "n-\(number)") == .relayAccepted)
            }
            let alerts = await bench.sent(3).compactMap { $0.message.message.apns?.payload["aps"]?["alert"] }
            let own: JSONValue = ["title": "New notification", "body": "Open the app."]
            #expect(Set(alerts) == Set(choices.map { $0 ?? own }))
        }
    }

    @Test(
        "A neutral text in another form, or a longer one, is refused with the field, and nothing is stored",
        arguments: [
            ("x", "title"), ([:], "title"), (["title": ""], "title"), (["title": 5], "title"),
            (["title": .string(String(repeating: "x", count: 59))], "title"), (["title": "T", "body": 5], "body"),
            (["title": "T", "body": .string(String(repeating: "ä", count: 30))], "body"),
        ] as [(JSONValue, String)])
    func invalidText(text: JSONValue, field: String) async throws {
        let bench = try RelayBench()
        var body = try #require(RelayApp.device().object)
        body["text"] = text
        let answer = try await RelayApp(at: bench).register(.object(body))
        #expect(answer.status == .badRequest)
        #expect(answer.body["message"]?.string?.hasPrefix("text.\(field) must be a text of 60 bytes") == true)
        #expect(try await bench.documents(in: "relayAddresses").isEmpty)
    }

    @Test("The largest sealed content and the longest neutral text fit into Apple's 4,096 bytes")
    func size() async throws {
        let longest = String(repeating: "x", count: 58)
        let bench = try RelayBench {
            $0.title = longest
            $0.body = longest
        }
        let sender = try await RelayApp(at: bench).sender()
        try await bench.running {
            #expect(try await sender.send(["sealed": .string(RelaySender.sealed(2_816))]) == .relayAccepted)
            let payload = try #require(await bench.sent(1).first?.message.message.apns?.payload)
            #expect(JSONValue.object(payload).serialized.count <= 4_096)
            let tooLarge = try await sender.send(id: "n-2", ["sealed": .string(RelaySender.sealed(2_817))])
            #expect(tooLarge.status == .contentTooLarge)
            #expect(tooLarge.body["message"] == "sealed has more than 2919 bytes")
            let larger = try await sender.send(id: "n-3", ["more": .string(String(repeating: "x", count: 9_000))])
            #expect(larger.status == .contentTooLarge)
            #expect(larger.body["message"] == "the body has more than 8192 bytes")
            #expect(try await bench.documents(in: "messages").count == 1)
        }
    }

    // MARK: Cards

    private static let phone = String(repeating: "c3", count: 80)

    /// Registers a phone that shows cards, and returns a sender.
    private func cardSender(_ bench: RelayBench) async throws -> RelaySender {
        let app = try RelayApp(at: bench)
        let device: JSONValue = [
            "apns": ["token": .string(RelayApp.token)], "live_activity": ["push_to_start_token": .string(Self.phone)],
        ]
        let address = try #require(try await app.register(device).body["address"]?.string)
        return RelaySender(bench: bench, address: address, secret: try await app.secret(of: address).text)
    }

    private func card(_ event: String, _ more: JSONObject = [:], at time: Int64) -> JSONObject {
        var card: JSONObject = ["id": "abcdefghijklmnopqr-_tA", "event": .string(event), "timestamp": .integer(time)]
        for (name, value) in more.members { card[name] = value }
        return ["kind": "liveactivity", "priority": "normal", "card": .object(card)]
    }

    @Test("A card starts at the phone's token, and changes and ends by its channel, with nothing but the sealed text")
    func card() async throws {
        let bench = try RelayBench { $0.title = "Neuigkeit" }
        let sender = try await cardSender(bench)
        let now = bench.clock.seconds
        try await bench.running {
            #expect(
                try await sender.send(id: "n-1", card("start", ["stale_at": .integer(now + 900)], at: now)).isAccepted)
            let start = try #require(await bench.sent(1).first)
            let aps = start.message.message.apns?.payload["aps"]
            #expect(start.token == Self.phone && start.message.lane.transport == .liveActivity)
            #expect(aps?["event"] == "start" && aps?["attributes-type"] == "SealedRunActivityAttributes")
            #expect(aps?["alert"] == ["title": "Neuigkeit", "body": "…"])
            #expect(aps?["content-state"] == ["sealed": .string(RelaySender.sealed())])
            #expect(aps?["stale-date"] == .integer(now + 900) && aps?["timestamp"] == .integer(now))
            let name = try #require(aps?["attributes"]?["card"]?.string)
            #expect(name.utf8.count == 32 && !name.contains("abcdefghij"))

            var change = card("update", at: now + 1)
            change["priority"] = "high"
            #expect(try await sender.send(id: "n-2", change).isAccepted)
            // The end would take the place of a change that waits.
            _ = await bench.sent(2)
            let end = card("end", ["dismiss_at": .integer(now + 86_400)], at: now + 2)
            #expect(try await sender.send(id: "n-3", end).isAccepted)
            let changes = await bench.sent(3).dropFirst()
            #expect(changes.map(\.token) == ["card:\(name)", "card:\(name)"])
            let headers = changes.map { $0.message.message.apns?.headers ?? [:] }
            #expect(headers.map { $0["apns-priority"] } == ["10", "5"])
            #expect(headers.allSatisfy { $0["apns-push-type"] == "liveactivity" && $0["apns-collapse-id"] == name })
            let last = changes.last?.message.message.apns?.payload["aps"]
            #expect(last?["event"] == "end" && last?["alert"] == nil)
            // A dismissal later than Apple allows is at the latest time.
            #expect(last?["dismissal-date"] == .integer(now + 4 * 3_600))
        }
    }

    @Test(
        "A card whose update token the phone registers is changed and ended by the token, as long as it is registered")
    func cardToken() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        func register(_ more: JSONObject = [:]) async throws -> String {
            var part: JSONObject = ["push_to_start_token": .string(Self.phone)]
            for (name, value) in more.members { part[name] = value }
            let device: JSONValue = ["apns": ["token": .string(RelayApp.token)], "live_activity": .object(part)]
            return try #require(try await app.register(device).body["address"]?.string)
        }
        let address = try await register()
        let sender = RelaySender(bench: bench, address: address, secret: try await app.secret(of: address).text)
        let now = bench.clock.seconds
        try await bench.running {
            #expect(try await sender.send(id: "n-1", card("start", at: now)).isAccepted)
            let start = try #require(await bench.sent(1).first).message.message.apns
            let name = try #require(start?.payload["aps"]?["attributes"]?["card"]?.string)
            bench.clock.advance(by: .seconds(1))
            let token = String(repeating: "d4", count: 80)
            _ = try await register(["update_tokens": ["another": "0a", name: .string(token)]])
            #expect(try await sender.send(id: "n-2", card("update", at: now + 1)).isAccepted)
            #expect(await bench.sent(2).last?.token == token)
            bench.clock.advance(by: .seconds(1))
            _ = try await register()
            #expect(try await sender.send(id: "n-3", card("end", at: now + 2)).isAccepted)
            #expect(await bench.sent(3).last?.token == "card:\(name)")
        }
    }

    @Test("Cards that start on a phone are limited by the hour; their changes and ends are not, nor is a repetition")
    func cardLimit() async throws {
        let bench = try RelayBench { $0.cardsPerHourPerInstallation = 1 }
        let sender = try await cardSender(bench)
        let now = bench.clock.seconds
        var words: [String] = []
        for (id, event) in [("n-1", "start"), ("n-1", "start"), ("n-2", "start"), ("n-3", "update"), ("n-4", "end")] {
            words.append(try await sender.send(id: id, card(event, at: now)).word)
        }
        let accepted = "202 accepted"
        #expect(words == [accepted, accepted, "429 later", accepted, accepted])
        bench.clock.advance(by: .seconds(3_600))
        #expect(try await sender.send(id: "n-5", card("start", at: now)).word == accepted)
    }

    @Test("Another address has another card of the same name, and a phone without the token gets none")
    func cardsOfOthers() async throws {
        let bench = try RelayBench()
        let (one, other) = (try await cardSender(bench), try await cardSender(bench))
        let now = bench.clock.seconds
        for sender in [one, other] { #expect(try await sender.send(card("start", at: now)).isAccepted) }
        try await bench.running {
            let names = await bench.sent(2).map { $0.message.message.apns?.payload["aps"]?["attributes"]?["card"] }
            #expect(Set(names).count == 2)
        }
        let without = try await RelayApp(at: bench).sender()
        let answer = try await without.send(card("start", at: now))
        #expect(answer.word == "400 invalid")
        #expect(answer.body["message"] == "the phone shows no cards: send an alert")
    }

    @Test(
        "A card in another form, and one that is too large, are refused with the member",
        arguments: [
            (["card": .null], "card must be an object, with the kind liveactivity"),
            (["card": ["id": "short"]], "card.id must be 16 to 32 characters of base64url"),
            (["card": ["id": "abcdefghijklmnop", "event": "pause"]], "card.event must be start, update or end"),
            (["card": ["id": "abcdefghijklmnop", "event": "end"]], "card.timestamp is missing"),
            (
                ["card": ["id": "abcdefghijklmnop", "event": "end", "timestamp": 1, "stale_at": "soon"]],
                "card.stale_at must be a whole number of seconds since 1970"
            ),
            (["kind": "card"], "kind must be alert, background or liveactivity"),
        ] as [(JSONObject, String)])
    func refusedCards(more: JSONObject, text: String) async throws {
        let bench = try RelayBench()
        let sender = try await cardSender(bench)
        var all = card("start", at: bench.clock.seconds)
        for (name, value) in more.members { all[name] = value }
        let answer = try await sender.send(all)
        #expect(answer.word == "400 invalid" && answer.body["message"] == .string(text))
        var large = card("start", at: bench.clock.seconds)
        large["sealed"] = .string(RelaySender.sealed(2_048))
        #expect(try await sender.send(id: "n-2", large).isAccepted)
        large["sealed"] = .string(RelaySender.sealed(2_049))
        #expect(try await sender.send(id: "n-3", large).status == .contentTooLarge)
        #expect(try await bench.documents(in: "messages").count == 1)
    }

    @Test("A repetition with the same id and secret is accepted and sends nothing, for a week; others are sent")
    func repetition() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let sender = try await app.sender()
        let other = RelaySender(
            bench: bench, address: sender.address, secret: try await app.secret(of: sender.address).text)
        try await bench.running {
            for _ in 0..<3 { #expect(try await sender.send() == .relayAccepted) }
            #expect(try await other.send() == .relayAccepted)
            #expect(try await sender.send(id: "n-2") == .relayAccepted)
            #expect(await bench.sent(3).count == 3)
            try await bench.untilStored()
            bench.clock.advance(by: .seconds(7 * 86_400))
            try await bench.clean()
            #expect(try await sender.send() == .relayAccepted)
            bench.clock.advance(by: .seconds(1))
            try await bench.clean()
            #expect(try await bench.documents(in: "relaySends").count == 0)
            #expect(try await sender.send() == .relayAccepted)
            #expect(await bench.sent(4).count == 4)
        }
        #expect(bench.transport.sent.count == 4)
    }

    @Test("Two equal messages at the same moment are both accepted, and one is sent")
    func simultaneousRepetition() async throws {
        let bench = try RelayBench()
        let sender = try await RelayApp(at: bench).sender()
        try await bench.running {
            async let first = sender.send()
            async let second = sender.send()
            let answers = try await [first, second]
            #expect(answers == [.relayAccepted, .relayAccepted])
            _ = await bench.sent(1)
            try await bench.untilStored()
        }
        #expect(bench.transport.sent.count == 1)
        #expect(try await bench.documents(in: "messages").count == 1)
    }

    @Test("410 travels back: the next message is answered gone, and a registration makes the address good again")
    func goneToken() async throws {
        let bench = try RelayBench(ScriptedTransport { $0.token == RelayApp.token ? .dead : .accepted })
        let app = try RelayApp(at: bench)
        let sender = try await app.sender()
        try await bench.running {
            #expect(try await sender.send() == .relayAccepted)
            try await bench.untilStored()
            #expect(try await sender.send(id: "n-2") == .json(.gone, ["result": "gone"]))
            #expect(try await sender.send() == .json(.gone, ["result": "gone"]))
            let shown = try await app.show(sender.address).body
            #expect(shown["state"] == "gone" && shown["secrets"]?.array?.count == 1)
            let token = String(repeating: "e5", count: 32)
            #expect(try await app.address(token) == sender.address)
            #expect(try await sender.send(id: "n-3") == .relayAccepted)
            #expect(await bench.sent(2).map(\.token) == [RelayApp.token, token])
        }
    }

    @Test("Token that changes while messages wait: they go to the new one, also those whose 410 is on the way")
    func changedToken() async throws {
        let gate = Gate()
        let bench = try RelayBench(
            ScriptedTransport { sent in
                guard sent.token == RelayApp.token else { return .accepted }
                await gate.pass()
                return .dead
            })
        let app = try RelayApp(at: bench)
        let (sender, token) = (try await app.sender(), String(repeating: "f6", count: 32))
        try await bench.running {
            #expect(try await sender.send() == .relayAccepted)
            _ = await bench.sent(1)
            _ = try await app.address(token)
            gate.open()
            try await bench.untilSettled()
            #expect(try await app.show(sender.address).body["state"] == "registered")
            #expect(try await sender.send(id: "n-2") == .relayAccepted)
            #expect(await bench.sent(3).map(\.token) == [RelayApp.token, token, token])
        }
    }

    @Test("Token that changes while messages wait: none is lost that the push service could not take before")
    func waitingMessages() async throws {
        let bench = try RelayBench(ScriptedTransport { $0.token == RelayApp.token ? .busy : .accepted })
        let app = try RelayApp(at: bench)
        let (sender, token) = (try await app.sender(), String(repeating: "f7", count: 32))
        try await bench.running {
            for number in 1...20 { #expect(try await sender.send(id: "n-\(number)") == .relayAccepted) }
            _ = await bench.sent(20)
            _ = try await app.address(token)
            try await bench.untilSettled()
        }
        let arrived = bench.transport.sent.filter { $0.token == token }
        #expect(Set(arrived.map(\.id)).count == 20 && arrived.count == 20)
    }

    @Test("No answer has the push service's reason")
    func noReason() async throws {
        let rejection = Outcome.rejected(
            Rejection(code: .mismatchedCredential, reason: "TopicDisallowed"))
        let bench = try RelayBench(ScriptedTransport { _ in rejection })
        let sender = try await RelayApp(at: bench).sender()
        try await bench.running {
            for number in 1...3 {
                #expect(try await sender.send(id: "n-\(number)") == .relayAccepted)
                try await bench.untilStored()
            }
        }
    }

    @Test("Send secret stolen: revoked by the phone it is refused at once, and those of others stay good")
    func revokedSecret() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let address = try await app.address()
        let (stolen, other) = (try await app.secret(of: address), try await app.secret(of: address))
        let thief = RelaySender(bench: bench, address: address, secret: stolen.text)
        let sender = RelaySender(bench: bench, address: address, secret: other.text)
        #expect(try await thief.send() == .relayAccepted)
        _ = try await app.call(.delete, RelayApp.path(of: address) + "/secrets/" + stolen.id)
        let refused = try await thief.send(id: "n-2")
        #expect(refused.status == .unauthorized && refused.body == ["result": "unauthorized"])
        #expect(refused.headerFields[.wwwAuthenticate] == "Bearer")
        #expect(try await sender.send() == .relayAccepted)
        #expect(try await bench.documents(in: "messages").count == 2)
    }

    @Test("Relay restored from yesterday's backup: an address and a secret made since then are unknown, not gone")
    func restored() async throws {
        let (bench, yesterday) = (try RelayBench(), try RelayBench())
        let key = try ES256PrivateKey.generate()
        let (app, backup) = (try RelayApp(at: bench, key: key), try RelayApp(at: yesterday, key: key))
        let sender = try await app.sender()
        let restored = RelaySender(bench: yesterday, address: sender.address, secret: sender.secret)
        #expect(try await restored.send() == .json(.notFound, ["result": "unknown"]))
        #expect(try await backup.address() == sender.address)
        #expect(try await restored.send() == .json(.notFound, ["result": "unknown"]))
        #expect(try await yesterday.documents(in: "messages").isEmpty)
    }

    @Test("A relay that moves to another host keeps its addresses")
    func movedHost() async throws {
        let sender = try await RelayApp(at: RelayBench()).sender()
        let id = try #require(sender.address.split(separator: "/").last)
        for address in ["relay:former.example.org:8443/\(id)", "relay:h/\(id)"] {
            #expect(try await sender.send(id: address, ["address": .string(address)]) == .relayAccepted)
        }
    }

    @Test("Guesses at secrets are limited by client address, and keep out no sender with a right one")
    func guesses() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let sender = try await app.sender()
        #expect(try await sender.send() == .relayAccepted)
        let guess = RelaySender(bench: bench, address: sender.address, secret: String(repeating: "A", count: 43))
        for _ in 0..<10 { #expect(try await guess.send().word == "404 unknown") }
        let refused = try await guess.send()
        #expect(refused.word == "429 later" && refused.headerFields[.retryAfter] != nil)
        #expect(try await sender.send(id: "n-2") == .relayAccepted)
        let unused = RelaySender(
            bench: bench, address: sender.address, secret: try await app.secret(of: sender.address).text)
        #expect(try await unused.send() == .relayAccepted)
        let without = try await bench.call(
            .post, "/relay/v1/send", .object(RelaySender.body(sender.address)), address: "198.51.100.9")
        #expect(without.word == "401 unauthorized")
    }

    @Test("A request without a send secret gets no verdict, so that a proxy that removes it ends no address")
    func withoutSecret() async throws {
        let bench = try RelayBench()
        let sender = try await RelayApp(at: bench).sender()
        for authorization in [nil, "Basic YTpi", "Bearer "] {
            var fields: HTTPFields = [:]
            fields[.authorization] = authorization
            let answer = try await bench.call(
                .post, "/relay/v1/send", .object(RelaySender.body(sender.address)), headers: fields)
            #expect(answer.status == .unauthorized && answer.body["result"] == nil)
            #expect(answer.body["error"] == "unauthorized" && answer.body["message"] != nil)
        }
        #expect(try await sender.send() == .relayAccepted)
    }

    @Test("Relay restored from yesterday's backup: a gateway with many lost phones reaches its others at once")
    func manyLostPhones() async throws {
        let (bench, yesterday) = (try RelayBench(), try RelayBench())
        let known = try await RelayApp(at: yesterday).sender()
        for _ in 0..<12 {
            let lost = try await RelayApp(at: bench).sender()
            let answer = try await RelaySender(bench: yesterday, address: lost.address, secret: lost.secret).send()
            #expect(answer.word == "404 unknown" || answer.word == "429 later")
        }
        #expect(try await known.send() == .relayAccepted)
    }

    @Test("Messages are limited by secret, by installation and by client address")
    func limits() async throws {
        let bench = try RelayBench {
            $0.messagesPerMinutePerSecret = 2
            $0.messagesPerMinutePerInstallation = 3
            $0.messagesPerMinutePerAddress = 6
        }
        let app = try RelayApp(at: bench)
        let first = try await app.sender()
        let second = RelaySender(
            bench: bench, address: first.address, secret: try await app.secret(of: first.address).text)
        var words: [String] = []
        for number in 1...3 { words.append(try await first.send(id: "a-\(number)").word) }
        for number in 1...3 { words.append(try await second.send(id: "b-\(number)").word) }
        let (accepted, later) = ("202 accepted", "429 later")
        #expect(words == [accepted, accepted, later, accepted, later, later])
        #expect(try await second.send(id: "b-4").headerFields[.retryAfter] == "60")
        var elsewhere = second
        elsewhere.clientAddress = "198.51.100.2"
        #expect(try await elsewhere.send(id: "b-5").word == later)
        bench.clock.advance(by: .seconds(60))
        #expect(try await second.send(id: "b-6").word == accepted)
    }

    @Test(
        "A message in another form is refused with 400 and the field, and nothing is stored",
        arguments: [
            ("address", "relay:h"), ("address", "h/AAAAAAAAAAAAAAAAAAAAAA"),
            ("address", "relay:/AAAAAAAAAAAAAAAAAAAAAA"), ("address", "relay:h/short"), ("address", nil), ("id", ""),
            ("id", nil), ("id", 7),
            ("id", .string(String(repeating: "x", count: 65))), ("sealed", nil), ("sealed", "not base64url"),
            ("sealed", "AAAA"), ("sealed", .string(Base64URL.encode([UInt8](repeating: 0x20, count: 400)))),
            ("collapse", ""), ("collapse", "a b"), ("collapse", "ä"), ("collapse", 5),
            ("collapse", .string(String(repeating: "x", count: 33))), ("priority", "low"), ("priority", 10),
            ("kind", "card"), ("kind", 1), ("ttl", -1), ("ttl", "1h"), ("ttl", 1.5),
        ] as [(String, JSONValue?)])
    func invalid(field: String, value: JSONValue?) async throws {
        let bench = try RelayBench()
        let sender = try await RelayApp(at: bench).sender()
        var body = RelaySender.body(sender.address)
        body[field] = value
        let answer = try await bench.call(
            .post, "/relay/v1/send", .object(body), headers: [.authorization: "Bearer \(sender.secret)"])
        #expect(answer.status == .badRequest && answer.body["error"] == "invalid")
        #expect(answer.body["message"]?.string?.hasPrefix("\(field) must be ") == true, "\(answer.body)")
        #expect(try await bench.documents(in: "messages").isEmpty)
    }

    @Test("The relay stores the digest of a send secret and never its text, and the last use to the hour")
    func storedSecret() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let sender = try await app.sender()
        for (seconds, expected) in [(0, 0), (1_800, 0), (1_800, 3_600)] as [(Int64, Int64)] {
            bench.clock.advance(by: .seconds(seconds))
            _ = try await sender.send(id: "n-\(bench.clock.seconds)")
            let used = try await app.show(sender.address).body["secrets"]?[0]?["last_used_at"]
            #expect(used == .integer(ManualClock.start.seconds + expected))
        }
        for collection in ["relayInstallations", "relayAddresses", "relaySends", "relaySignatures", "messages"] {
            let documents = try await bench.documents(in: collection)
            #expect(!documents.isEmpty && !"\(documents)".contains(sender.secret), "\(collection)")
        }
    }

    @Test("If the store cannot write, the sender is told to come back later, and may repeat the message")
    func storeFailure() async throws {
        let bench = try RelayBench()
        let sender = try await RelayApp(at: bench).sender()
        bench.store.set { hooks in
            hooks.beforeCommit = { _ throws(StoreError) in throw StoreError(.unavailable, "closed") }
        }
        let refused = try await sender.send()
        #expect(refused.status == .serviceUnavailable && refused.body == ["result": "later"])
        #expect(refused.headerFields[.retryAfter] != nil)
        bench.store.set { hooks in hooks.beforeCommit = { _ in } }
        #expect(try await sender.send() == .relayAccepted)
        #expect(try await bench.documents(in: "messages").count == 1)
    }
}

extension FunctionResponse {
    fileprivate var isAccepted: Bool { self == .relayAccepted }
}
