import Cryptography
import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing
import WebPush

@Suite("Author's relay: addresses", .timeLimit(.minutes(10)))
struct RelayAddressTests {
    @Test("An installation gets the same address at every launch, and a new token keeps it")
    func idempotent() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let first = try await app.register()
        let address = try #require(first.body["address"]?.string)
        #expect(first == .json(.ok, ["address": .string(address), "state": "registered"]))
        #expect(address.hasPrefix("relay:\(RelayBench.host)/") && address.split(separator: "/").last?.utf8.count == 22)
        let token = String(repeating: "b2", count: 32)
        bench.clock.advance(by: .seconds(60))
        #expect(try await app.register(RelayApp.device(token)) == first)
        let documents = try await bench.documents(in: "relayAddresses")
        #expect(documents.map { $0["deviceToken"]?.string } == [token])
        #expect(documents.map { $0["createdAt"]?.timestamp } == [ManualClock.start])
        #expect(documents.map { $0["updatedAt"]?.timestamp } == [bench.clock.timestamp])
        #expect(try await bench.documents(in: "relayInstallations").count == 1)
    }

    @Test("Two launches at the same moment get one address, and both secrets that they ask for are good")
    func simultaneousLaunches() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        async let first = app.address()
        async let second = app.address(String(repeating: "b2", count: 32))
        let addresses = try await [first, second]
        let address = addresses[0]
        #expect(addresses == [address, address])
        #expect(try await bench.documents(in: "relayInstallations").count == 1)
        #expect(try await bench.documents(in: "relayAddresses").count == 1)
        async let one = app.secret(of: address)
        async let other = app.secret(of: address)
        let secrets = try await [one, other]
        for secret in secrets {
            let sender = RelaySender(bench: bench, address: address, secret: secret.text)
            #expect(try await sender.send() == .relayAccepted)
        }
        #expect(try await app.show(address).body["secrets"]?.array?.count == 2)
    }

    @Test("Reinstall: another key gets another address, also for the same token")
    func reinstall() async throws {
        let bench = try RelayBench()
        let (first, second) = (try await RelayApp(at: bench).address(), try await RelayApp(at: bench).address())
        #expect(first != second)
        #expect(try await bench.documents(in: "relayAddresses").count == 2)
    }

    @Test("Address guessed: an app with another key learns nothing of an address, and changes nothing")
    func foreignAddress() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let address = try await app.address()
        let secret = try await app.secret(of: address)
        let (attacker, path) = (try RelayApp(at: bench), RelayApp.path(of: address))
        _ = try await attacker.address()
        #expect(try await attacker.call(.get, path).word == "404 unknown")
        #expect(try await attacker.call(.delete, path).word == "404 unknown")
        #expect(try await attacker.call(.post, path + "/secrets", [:]).word == "404 unknown")
        #expect(try await attacker.call(.delete, path + "/secrets/" + secret.id).word == "404 unknown")
        let shown = try await app.show(address)
        #expect(shown.body["state"] == "registered" && shown.body["secrets"]?.array?.count == 1)
    }

    @Test("The relay's secret decides about ids: another relay gives the same key another address")
    func unpredictable() async throws {
        let key = try ES256PrivateKey.generate()
        let address = try await RelayApp(at: RelayBench(), key: key).address()
        let other = try SystemBench<AuthorRelay> {
            var services = $0
            services.host.publicURL = "https://\(RelayBench.host)"
            services.host.secret = { _ in Array(repeating: 8, count: 32) }
            return try AuthorRelay(settings: AuthorRelaySettings(), services: services)
        }
        #expect(try await RelayApp(at: other, key: key).address() != address)
    }

    @Test("Relay's key rotated: the addresses that senders have stay good, and the app gets another one")
    func rotatedKey() async throws {
        let bench = try RelayBench()
        let key = try ES256PrivateKey.generate()
        let sender = try await RelayApp(at: bench, key: key).sender()
        let rotated = try SystemBench<AuthorRelay>(on: bench.disk, clock: bench.clock) {
            var services = $0
            services.host.publicURL = RelayBench.publicURL
            services.host.secret = { _ in Array(repeating: 8, count: 32) }
            return try AuthorRelay(settings: AuthorRelaySettings(), services: services)
        }
        let app = try RelayApp(at: rotated, key: key)
        #expect(try await app.show(sender.address).word == "404 unknown")
        #expect(try await app.address() != sender.address)
        let later = RelaySender(bench: rotated, address: sender.address, secret: sender.secret)
        #expect(try await later.send() == .relayAccepted)
    }

    @Test("Clock of the phone off by an hour: it is accepted; beyond, it is told the relay's time", arguments: [1, -1])
    func clock(sign: Int64) async throws {
        let bench = try RelayBench()
        let (app, now) = (try RelayApp(at: bench), bench.clock.seconds)
        #expect(try await app.register(at: now + sign * 3_600).status == .ok)
        let refused = try await app.register(at: now + sign * 3_601)
        #expect(refused.status == .unauthorized)
        #expect(refused.body == ["error": "clock", "time": .integer(now)])
    }

    @Test("A signature counts once, also with its second half negated, until its time is over")
    func replay() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let path = RelayApp.path(of: try await app.address())
        let fields = try app.fields(.get, path)
        #expect(try await bench.call(.get, path, headers: fields).status == .ok)
        #expect(try await bench.call(.get, path, headers: fields).word == "401 unauthorized")
        var negated = fields
        let name = try RelayApp.name("Relay-Signature")
        let signature = try #require(Base64URL.decode(fields[name] ?? ""))
        negated[name] = Base64URL.encode(signature[..<32] + Self.negated(Array(signature[32...])))
        #expect(try await bench.call(.get, path, headers: negated).word == "401 unauthorized")
        bench.clock.advance(by: .seconds(3_600))
        try await bench.clean()
        #expect(try await bench.call(.get, path, headers: fields).word == "401 unauthorized")
        bench.clock.advance(by: .seconds(3_601))
        try await bench.clean()
        #expect(try await bench.documents(in: "relaySignatures").isEmpty)
        #expect(try await bench.call(.get, path, headers: fields).word == "401 clock")
    }

    /// Returns the order of P-256 less a number.
    private static func negated(_ number: [UInt8]) -> [UInt8] {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
            0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var (result, borrow) = (order, 0)
        for index in order.indices.reversed() {
            let difference = Int(order[index]) - Int(number[index]) - borrow
            result[index] = UInt8((difference + 256) % 256)
            borrow = difference < 0 ? 1 : 0
        }
        return result
    }

    @Test("A call with another body, path or method than the signed one is refused, and so is one without a field")
    func signature() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let path = RelayApp.path(of: try await app.address())
        let other = RelayApp.device(String(repeating: "c3", count: 32))
        let signed = try app.fields(.post, RelayApp.root, body: RelayApp.device().serialized)
        let answers = [
            try await bench.call(.post, RelayApp.root, other, headers: signed),
            try await bench.call(.post, RelayApp.root, RelayApp.device(), headers: signed, query: ["a": "b"]),
            try await bench.call(.delete, path, headers: try app.fields(.get, path)),
            try await bench.call(.delete, path, headers: try app.fields(.delete, RelayApp.root)),
            try await bench.call(.delete, path),
        ]
        #expect(answers.map(\.word) == Array(repeating: "401 unauthorized", count: 5))
        let messages = answers.map { $0.body["message"]?.string ?? "" }
        let unsigned = "Relay-Signature is not one of this method, path, Relay-Time and body by Relay-Key"
        #expect(
            messages == [
                unsigned, "a signed call has no query", unsigned, unsigned,
                "a call has the header fields Relay-Key, Relay-Time and Relay-Signature",
            ])
        for text in ["Relay-Key", "Relay-Time", "Relay-Signature"] {
            let name = try RelayApp.name(text)
            var fields = try app.fields(.delete, path)
            for value in [nil, "x", "AAAA"] {
                fields[name] = value
                #expect(try await bench.call(.delete, path, headers: fields).word == "401 unauthorized", "\(name)")
            }
        }
        #expect(try await app.show(address(path)).body["state"] == "registered")
    }

    private func address(_ path: String) -> String { "relay:h/" + (path.split(separator: "/").last ?? "") }

    @Test(
        "A device in another form is refused with 400, and nothing is stored",
        arguments: [
            ([:], "send one of apns, web_push and fcm"),
            (["apns": ["token": "a1"], "fcm": ["token": "x"]], "send one of apns, web_push and fcm"),
            (["apns": "x"], "apns.token must be a text of 1 to 4096 bytes"),
            (["apns": ["token": "no-digits"]], "apns.token must be a device token in hexadecimal digits"),
            (
                ["apns": ["token": .string(RelayApp.token), "environment": "moon"]],
                "apns.environment must be sandbox or production"
            ),
            (["fcm": ["token": .string(RelayApp.token)]], "fcm.token must be a registration token of FCM"),
            (["web_push": [:]], "web_push.endpoint must be a text"),
        ] as [(JSONValue, String)])
    func invalidDevices(body: JSONValue, message: String) async throws {
        let bench = try RelayBench()
        let answer = try await RelayApp(at: bench).register(body)
        #expect(answer == .json(.badRequest, ["error": "invalid", "message": .string(message)]))
        #expect(try await bench.documents(in: "relayAddresses").isEmpty)
        #expect(try await bench.documents(in: "relayInstallations").isEmpty)
    }

    @Test("An address at a relay leads to no other one: messages would go round for ever")
    func noAddressBehindAnAddress() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let own = try await app.sender()
        let keys = ["p256dh": SampleSubscription.p256dh, "auth": SampleSubscription.auth]
        var object: JSONObject = [
            "address": .string(own.address), "send_secret": .string(own.secret),
            "collapse_key": "AAAAAAAAAAAAAAAAAAAAAA",
        ]
        for (name, value) in keys { object[name] = .string(value) }
        let parts = [own.address, own.secret] + [SampleSubscription.p256dh, SampleSubscription.auth]
        let text = JSONValue.string((parts + ["AAAAAAAAAAAAAAAAAAAAAA"]).joined(separator: "."))
        let bodies: [JSONValue] = [
            ["web_push": .object(object)], ["web_push": text], ["fcm": ["token": text]], ["apns": ["token": text]],
        ]
        for body in bodies { #expect(try await app.register(body).word == "400 invalid", "\(body)") }
        let tokens = try await bench.documents(in: "relayAddresses").map { $0["deviceToken"]?.string }
        #expect(tokens == [RelayApp.token])
    }

    @Test("An app that the relay has no key for is refused")
    func foreignApp() async throws {
        let bench = try SystemBench<AuthorRelay> {
            var services = $0
            services.host = ModuleHost(
                version: "1", isAppConfigured: { $0.app.bundleID == "com.example.mine" },
                files: services.host.files, fetcher: services.host.fetcher, secret: services.host.secret,
                publicURL: "https://push.example.com")
            return try AuthorRelay(settings: AuthorRelaySettings(), services: services)
        }
        let app = try RelayApp(at: bench)
        for (bundleID, word) in [("com.example.mine", "200 "), ("com.example.other", "400 invalid")] {
            let body: JSONValue = ["apns": ["token": .string(RelayApp.token), "bundle_id": .string(bundleID)]]
            #expect(try await app.register(body).word == word)
        }
    }

    @Test("Browsers and Android's apps get addresses too")
    func otherServices() async throws {
        let bench = try RelayBench()
        let browser = try RelayApp(at: bench)
        #expect(try await browser.register(["web_push": SampleSubscription.json()]).status == .ok)
        #expect(try await RelayApp(at: bench).register(["fcm": ["token": "a:token-of-google"]]).status == .ok)
        let transports = try await bench.documents(in: "relayAddresses").map { $0["transport"]?.string ?? "" }
        #expect(transports.sorted() == ["fcm", "webpush"])
    }

    @Test("The token that starts cards belongs to the registration, and is taken with a token of APNs alone")
    func liveActivity() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let token = String(repeating: "0A0b", count: 16)
        let part: JSONValue = ["push_to_start_token": .string(token), "frequent_updates": false]
        let apple: JSONValue = ["apns": ["token": .string(RelayApp.token)], "live_activity": part]
        #expect(try await app.register(apple).status == .ok)
        let stored = try await bench.documents(in: "relayAddresses").first?["liveActivity"]?.map
        #expect(stored?["token"]?.string == token.lowercased() && stored?["frequentUpdates"]?.boolean == false)
        bench.clock.advance(by: .seconds(1))
        #expect(try await app.register().status == .ok)
        #expect(try await bench.documents(in: "relayAddresses").first?["liveActivity"] == nil)
        let refused: [(JSONValue, String)] = [
            (
                ["fcm": ["token": "a:token-of-google"], "live_activity": part],
                "live_activity is of Apple's phones: send it with apns"
            ),
            (
                ["apns": ["token": .string(RelayApp.token)], "live_activity": [:]],
                "live_activity.push_to_start_token is required; leave live_activity out for a phone without Live "
                    + "Activities"
            ),
        ]
        for (body, text) in refused {
            bench.clock.advance(by: .seconds(1))
            let answer = try await app.register(body)
            #expect(answer.word == "400 invalid" && answer.body["message"] == .string(text))
        }
    }

    @Test("An address has a secret for each sender, 32 at most, and each is revoked by itself")
    func secrets() async throws {
        let bench = try RelayBench { $0.callsPerMinutePerAddress = 0 }
        let app = try RelayApp(at: bench)
        let address = try await app.address()
        var secrets: [(id: String, text: String)] = []
        for _ in 0..<32 { secrets.append(try await app.secret(of: address)) }
        #expect(Set(secrets.map(\.text)).count == 32 && secrets.allSatisfy { $0.text.utf8.count == 43 })
        let path = RelayApp.path(of: address) + "/secrets"
        #expect(try await app.call(.post, path, [:]).word == "400 invalid")
        let removed = try await app.call(.delete, path + "/" + secrets[7].id)
        #expect(removed == FunctionResponse(status: .noContent, content: .none))
        #expect(try await app.call(.delete, path + "/" + secrets[7].id).word == "404 unknown")
        let listed = try await app.show(address).body["secrets"]?.array ?? []
        #expect(listed.count == 31 && !listed.compactMap { $0["id"]?.string }.contains(secrets[7].id))
        #expect(try await app.call(.post, path, [:]).status == .ok)
    }

    @Test("The operator sees an address without a sender, and one whose phone has to register again")
    func troubles() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let address = try await app.address()
        let list = try #require(bench.system.deviceList)
        let path = try DocumentPath("relayAddresses/\(address.split(separator: "/").last ?? "")")
        func trouble() async throws -> String { try await list.trouble(of: path) ?? "none" }
        #expect(try await trouble().contains("with no gateway"))
        let secret = try await app.secret(of: address)
        #expect(try await trouble() == "none")
        _ = try await app.call(.delete, RelayApp.path(of: address) + "/secrets/" + secret.id)
        #expect(try await trouble().contains("with no gateway"))
        _ = try await app.call(.delete, RelayApp.path(of: address))
        #expect(try await trouble().contains("not registered again"))
    }

    @Test("A closed address is gone for its senders, and registered again it has none of their secrets")
    func close() async throws {
        let bench = try RelayBench()
        let app = try RelayApp(at: bench)
        let sender = try await app.sender()
        let closed = try await app.call(.delete, RelayApp.path(of: sender.address))
        #expect(closed == FunctionResponse(status: .noContent, content: .none))
        #expect(try await bench.documents(in: "relayAddresses").isEmpty)
        #expect(try await sender.send().word == "410 gone")
        #expect(try await app.show(sender.address).body == ["state": "gone", "secrets": []])
        #expect(try await app.call(.post, RelayApp.path(of: sender.address) + "/secrets", [:]).word == "404 unknown")
        #expect(try await app.address() == sender.address)
        #expect(try await sender.send().word == "401 unauthorized")
        #expect(try await bench.documents(in: "messages").isEmpty)
    }

    @Test("With the admission by secret only apps with one of the secrets register, each time")
    func admission() async throws {
        let bench = try RelayBench {
            $0.admission = .secret
            $0.appSecrets = ["0123456789abcdef", "fedcba9876543210"]
        }
        let app = try RelayApp(at: bench)
        func register(_ secret: JSONValue?) async throws -> String {
            var body = RelayApp.device().object ?? [:]
            body["admission"] = secret.map { JSONValue.object(["secret": $0]) }
            return try await app.register(.object(body)).word
        }
        for secret in [nil, "", "0123456789abcdeg", 5] as [JSONValue?] {
            #expect(try await register(secret) == "403 not_admitted")
        }
        #expect(try await bench.documents(in: "relayInstallations").isEmpty)
        #expect(try await register("fedcba9876543210") == "200 ")
        #expect(try await register("wrong") == "403 not_admitted")
    }

    @Test("Calls and new installations of one client address are limited, those of others are not")
    func limits() async throws {
        let bench = try RelayBench {
            $0.newInstallationsPerHourPerAddress = 2
            $0.callsPerMinutePerAddress = 5
        }
        let apps = try (0..<3).map { _ in try RelayApp(at: bench) }
        for app in apps.prefix(2) { #expect(try await app.register().status == .ok) }
        let refused = try await apps[2].register()
        #expect(refused.word == "429 later" && refused.headerFields[.retryAfter] == "3600")
        // An installation that has an address may register again.
        #expect(try await apps[0].register(RelayApp.device(String(repeating: "d4", count: 32))).status == .ok)
        #expect(try await apps[0].register(RelayApp.device(String(repeating: "d5", count: 32))).status == .ok)
        let tooMany = try await apps[0].register(RelayApp.device(String(repeating: "d6", count: 32)))
        #expect(tooMany.word == "429 later" && tooMany.headerFields[.retryAfter] == "60")
        var elsewhere = apps[2]
        elsewhere.clientAddress = "192.0.2.9"
        #expect(try await elsewhere.register().status == .ok)
    }

    @Test("The clean-up forgets an installation 30 days after its end, and none whose address is good")
    func cleanUp() async throws {
        let bench = try RelayBench()
        let (kept, closed) = (try RelayApp(at: bench), try RelayApp(at: bench))
        let address = try await kept.sender().address
        _ = try await closed.call(.delete, RelayApp.path(of: try await closed.address()))
        for (days, count) in [(30, 2), (1, 1), (1_000, 1)] {
            bench.clock.advance(by: .seconds(days * 86_400))
            try await bench.clean()
            #expect(try await bench.documents(in: "relayInstallations").count == count, "\(days)")
        }
        #expect(try await kept.show(address).body["state"] == "registered")
    }

    @Test("The clean-up forgets an installation to which nobody may send 90 days after its last launch, with its token")
    func idle() async throws {
        let bench = try RelayBench()
        let (idle, launched, revoked) = (try RelayApp(at: bench), try RelayApp(at: bench), try RelayApp(at: bench))
        let address = try await idle.address()
        let other = try await launched.address()
        let former = try await revoked.address()
        let secret = try await revoked.secret(of: former)
        _ = try await revoked.call(.delete, RelayApp.path(of: former) + "/secrets/" + secret.id)
        bench.clock.advance(by: .seconds(90 * 86_400))
        try await bench.clean()
        #expect(try await bench.documents(in: "relayInstallations").count == 3)
        #expect(try await launched.address() == other)
        bench.clock.advance(by: .seconds(1))
        try await bench.clean()
        let id = String(try #require(other.split(separator: "/").last))
        for collection in ["relayInstallations", "relayAddresses"] {
            let ids = try await bench.documents(in: collection).map(\.path.id)
            #expect(ids == [id], "\(collection)")
        }
        #expect(try await idle.show(address).word == "404 unknown")
        #expect(try await idle.address() == address)
    }

    @Test("Paths of the relay without an endpoint have errors in its form")
    func unknownPaths() async throws {
        let bench = try RelayBench()
        for path in ["/relay/v1", "/relay/v1/nothing", "/relay/v1/addresses/a/b/c/d"] {
            #expect(try await bench.call(.get, path).word == "404 not_found")
        }
        #expect(try await bench.call(.put, "/relay/v1/send").word == "404 not_found")
    }
}
