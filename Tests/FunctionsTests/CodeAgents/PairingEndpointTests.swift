import Cryptography
import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Paired browsers")
struct PairingEndpointTests {
    // MARK: Codes

    @Test("A server's secret makes a code for one agent, which is not to be kept, and a link if the address is known")
    func createPairing() async throws {
        let answer = try await Bench.pairing().call("createPairing", .trigger())
        let code = try #require(answer.body["code"]?.string)
        #expect(answer.status == .ok && answer.headerFields == [.cacheControl: "no-store"])
        #expect(
            answer.body == ["ok": true, "code": .string(code), "expires_at": "2026-01-01T00:10:00.000000Z"])
        let known = try Bench.pairing(publicURL: "https://push.example.com/here")
        let linked = try await known.call("createPairing", .trigger()).body
        #expect(linked["link"]?.string == "https://push.example.com/here/try#\(linked["code"]?.string ?? "")")
    }

    @Test("A code needs a secret and a folder")
    func invalidCalls() async throws {
        let bench = try Bench.pairing()
        #expect(try await bench.call("createPairing", Call([:])).withoutMessage == .badRequest)
        #expect(try await bench.call("createPairing", .trigger(secret: "short")).withoutMessage == .unauthorized)
        let long = String(repeating: "a", count: 121)
        #expect(
            try await bench.call("createPairing", .trigger(["agent_display_name": .string(long)])).withoutMessage
                == .error(400, "agent_display_name_too_long"))
        #expect(try await bench.documents(in: "pairings").isEmpty)
    }

    @Test("A server that may not use the functions makes no code, and its paired browsers subscribe no more")
    func deniedServer() async throws {
        let bench = try Bench.pairing()
        let credential = try await bench.credential()
        _ = try await bench.module.setAccess(.denied, of: Call.serverKey, name: nil)
        for answer in [
            try await bench.call("createPairing", .trigger()), try await bench.subscribe(credential),
        ] {
            #expect(answer.status == .forbidden && answer.body["error"] == "server_not_allowed")
        }
        let listed = try Bench.pairing { $0.servers = .listed }
        #expect(try await listed.call("createPairing", .trigger()).body["error"] == "server_not_allowed")
        #expect(try await listed.pair([:], isFromLoopback: true).body["error"] == "server_not_allowed")
    }

    @Test("With the setting off there is neither a code nor a call of browsers")
    func off() async throws {
        let bench = try Bench.pairing { $0.pairing = false }
        #expect(!bench.module.functions.contains { $0.name == "createPairing" })
        #expect(bench.module.endpoints.isEmpty && bench.module.keyList == nil)
        #expect(bench.module.deviceCredentials == nil)
    }

    // MARK: The exchange

    @Test("A code gives a credential for its agent, once, and never the secret")
    func pair() async throws {
        let bench = try Bench.pairing()
        let code = try await bench.makeCode(["agent_display_name": "My agent"])
        let answer = try await bench.pair(["code": .string(code.lowercased())])
        let credential = try #require(answer.body["credential"]?.string)
        #expect(answer.status == .ok && answer.headerFields == [.cacheControl: "no-store"])
        #expect(
            answer.body == [
                "ok": true, "credential": .string(credential),
                "installation_id": .string("web-" + SHA256.hexadecimal(of: credential).prefix(16)),
                "server_key": .string(Call.serverKey), "cwd": "/srv/app", "agent_display_name": "My agent",
            ])
        let again = try await bench.pair(["code": .string(code)])
        #expect(again.status == .notFound && again.body["error"] == "unknown_code")
        #expect(again.body["message"]?.string?.contains("pushgate pair") == true)
    }

    @Test("A wrong, an old and a used code have the same answer")
    func unknownCodes() async throws {
        let bench = try Bench.pairing()
        let (old, used) = (try await bench.makeCode(), try await bench.makeCode())
        _ = try await bench.pair(["code": .string(used)])
        let answers = [
            try await bench.pair(["code": .string(used)]), try await bench.pair(["code": "x"]),
            try await bench.pair(["code": .string(String(repeating: "0", count: 26))]),
        ]
        bench.clock.advance(by: .seconds(600))
        let late = try await bench.pair(["code": .string(old)])
        #expect(Set(answers + [late]).count == 1)
    }

    @Test("After ten wrong codes an address has to wait, and a good code stays good meanwhile")
    func guesses() async throws {
        let bench = try Bench.pairing()
        let code = try await bench.makeCode()
        for _ in 0..<10 { #expect(try await bench.pair(["code": "x"]).status == .notFound) }
        #expect(try await bench.pair(["code": .string(code)]).withoutMessage == .rateLimited(retryAfter: 300))
        #expect(try await bench.pair(["code": .string(code)], address: "198.51.100.7").status == .ok)
    }

    @Test("Requests of an address without a secret are limited too")
    func limit() async throws {
        let bench = try Bench.pairing { $0.requestsPerMinutePerAddress = 2 }
        for _ in 0..<2 { #expect(try await bench.pair(["code": "x"]).status == .notFound) }
        #expect(try await bench.pair(["code": "x"]).withoutMessage == .rateLimited(retryAfter: 60))
    }

    // MARK: Without a code

    @Test("A browser on the gateway's machine is paired with an agent of its own, and gets its secret")
    func loopback() async throws {
        let bench = try Bench.pairing { $0.minimumSecretLength = 100 }
        let answer = try await bench.pair([:], isFromLoopback: true)
        let secret = try #require(answer.body["secret"]?.string)
        #expect(secret.utf8.count >= 100 && answer.body["cwd"] == "/try")
        let credential = try #require(answer.body["credential"]?.string)
        let subscribed = try await bench.subscribe(credential)
        #expect(subscribed.body["server_key"]?.string == SHA256.hexadecimal(of: secret))
        for document in try await bench.documents(in: "pairedDevices") { #expect(!"\(document)".contains(secret)) }
        try await bench.running {
            let answer = try await bench.call("triggerReplyFinished", .trigger(cwd: "/try", secret: secret))
            #expect(answer.body["sent"] == 1)
        }
        #expect(bench.transport.sent.map(\.token) == ["https://push.example/1"])
    }

    @Test("A browser elsewhere needs a code, and so does a page of another site")
    func elsewhere() async throws {
        let bench = try Bench.pairing()
        let remote = try await bench.pair([:])
        #expect(remote.status == .forbidden && remote.body["error"] == "code_required")
        let foreign = try await bench.pair([:], isFromLoopback: true, originRefusal: "a page of evil.example")
        #expect(foreign.status == .forbidden && foreign.body["error"] == "foreign_origin")
        #expect(foreign.body["message"] == "a page of evil.example")
        #expect(try await bench.documents(in: "pairedDevices").isEmpty)
    }

    // MARK: Subscriptions

    @Test("A paired browser subscribes, replaces its subscription, and ends it with its credential")
    func subscription() async throws {
        let bench = try Bench.pairing()
        _ = try await bench.call("registerSubscription", .register("phone", token: "emulated:phone"))
        let credential = try await bench.credential()
        let id = "web-" + SHA256.hexadecimal(of: credential).prefix(16)
        let answer = try await bench.subscribe(credential)
        #expect(
            answer == .ok(["ok": true, "server_key": .string(Call.serverKey), "agent_key": .string(Bench.agentKey)]))
        #expect(try await bench.devices() == ["phone": "emulated:phone", id: "https://push.example/1"])
        _ = try await bench.subscribe(credential, endpoint: "https://push.example/2")
        #expect(try await bench.devices()[id] == "https://push.example/2")
        #expect(try await bench.unsubscribe(credential) == .ok(["ok": true, "deleted": 1]))
        #expect(try await bench.devices() == ["phone": "emulated:phone"])
        for answer in [try await bench.subscribe(credential), try await bench.unsubscribe(credential)] {
            #expect(answer.withoutMessage == .unauthorized)
        }
    }

    @Test("Paired browsers get the agent's notifications, each at its own subscription")
    func notification() async throws {
        let bench = try Bench.pairing()
        for number in 1...2 {
            _ = try await bench.subscribe(
                try await bench.credential(), endpoint: "https://push.example/\(number)")
        }
        _ = try await bench.subscribe(try await bench.credential(cwd: "/srv/other"), endpoint: "https://push.example/3")
        try await bench.running {
            let answer = try await bench.call("triggerReplyFinished", .trigger())
            #expect(answer.body["sent"] == 2)
        }
        #expect(
            Set(bench.transport.sent.map(\.token)) == [
                "https://push.example/1", "https://push.example/2",
            ])
    }

    @Test("An agent keeps the name that it has, and gets the pairing's if it has none")
    func displayName() async throws {
        let bench = try Bench.pairing()
        func name() async throws -> String? {
            try await bench.disk.documents.document(at: DocumentPath(Bench.agent))?["agentDisplayName"]?.string
        }
        let credential = try await bench.credential(["agent_display_name": "By the code"])
        _ = try await bench.subscribe(credential)
        #expect(try await name() == "By the code")
        _ = try await bench.call("registerSubscription", .register(name: "By the app"))
        _ = try await bench.subscribe(credential)
        #expect(try await name() == "By the app")
    }

    @Test("A subscription that cannot be used is refused with the reason; a body names no other agent or device")
    func invalidSubscriptions() async throws {
        let bench = try Bench.pairing()
        let credential = try await bench.credential()
        func put(_ body: JSONValue) async throws -> FunctionResponse {
            try await bench.endpoint(.put, "/try/subscription", body, credential: credential)
        }
        let refused = try await put(["web_push": ["keys": [:]]])
        #expect(refused.status == .badRequest && refused.body["error"] == "web_push_invalid")
        #expect(refused.body["message"] == "web_push.endpoint must be a text")
        #expect(try await put([:]).withoutMessage == .badRequest)
        // The agent and the installation are those of the credential.
        let more: JSONValue = ["web_push": SampleSubscription.json(), "cwd": "/srv/other", "fcm_token": "emulated:x"]
        #expect(try await put(more).status == .ok)
        let endpoints = try await bench.devices().values.map { $0 }
        #expect(endpoints == [SampleSubscription.endpoint])
    }

    @Test("A paired app subscribes by its token, with the facts of its build")
    func token() async throws {
        let bench = try Bench.pairing()
        let credential = try await bench.credential()
        let id = "web-" + SHA256.hexadecimal(of: credential).prefix(16)
        let body: JSONValue = [
            "fcm_token": "emulated:phone", "platform": "ios", "app_version": "2.1", "installation_id": "another",
        ]
        let answer = try await bench.endpoint(.put, "/try/subscription", body, credential: credential)
        #expect(answer.status == .ok && answer.body["server_key"]?.string == Call.serverKey)
        #expect(try await bench.devices() == [id: "emulated:phone"])
        #expect(try await bench.unsubscribe(credential) == .ok(["ok": true, "deleted": 1]))
    }

    @Test("A credential is required, and is good for nothing else")
    func credentials() async throws {
        let bench = try Bench.pairing()
        let credential = try await bench.credential()
        #expect(try await bench.endpoint(.put, "/try/subscription", ["web_push": [:]]).withoutMessage == .unauthorized)
        #expect(try await bench.subscribe(Call.secret).withoutMessage == .unauthorized)
        #expect(try await bench.subscribe(credential + "x").withoutMessage == .unauthorized)
        _ = try await bench.subscribe(credential)
        // As a secret it is that of another server.
        let trigger = try await bench.call("triggerReplyFinished", .trigger(secret: credential))
        #expect(trigger.body["reason"] == "unknown_server")
        #expect(try await bench.unregister(.unregister(secret: credential)).body["deleted"] == 0)
        #expect(try await bench.devices().count == 1)
    }

    @Test("A device's requests have a limit of their own, beside the server's")
    func limitOfDevice() async throws {
        let bench = try Bench.pairing {
            $0.requestsPerMinutePerSecret = 3
            $0.requestsPerMinutePerAddress = 0
        }
        let credential = try await bench.credential()
        for _ in 0..<3 { #expect(try await bench.subscribe(credential).status == .ok) }
        #expect(try await bench.subscribe(credential).withoutMessage == .rateLimited(retryAfter: 60))
        #expect(try await bench.call("unregisterSubscription", .unregister()).status == .ok)
    }

    @Test("A credential stands for its device at other interfaces, as long as its server is allowed")
    func otherInterfaces() async throws {
        let bench = try Bench.pairing()
        let credential = try await bench.credential()
        let credentials = try #require(bench.module.deviceCredentials)
        #expect(credentials.recognizes(credential) && !credentials.recognizes(Call.secret))
        let owner = try await credentials.owner(of: credential, from: ["192.0.2.1"])
        #expect(owner.path.description == "pairedDevices/" + SHA256.hexadecimal(of: credential))
        for _ in 0..<10 {
            await #expect(throws: DeviceCredentialError.unknown) {
                try await credentials.owner(of: credential + "x", from: ["198.51.100.7"])
            }
        }
        await #expect(throws: DeviceCredentialError.tooMany(retryAfter: 300)) {
            try await credentials.owner(of: credential, from: ["198.51.100.7"])
        }
        _ = try await bench.module.setAccess(.denied, of: Call.serverKey, name: nil)
        do {
            _ = try await credentials.owner(of: credential, from: ["192.0.2.1"])
            Issue.record("the server is denied")
        } catch DeviceCredentialError.notAllowed(let reason) {
            #expect(reason.contains("pushgate servers allow"))
        }
    }

    // MARK: The operator

    @Test("The operator sees the paired browsers and which have no registration, and revoking one unsubscribes it")
    func operatorsList() async throws {
        let bench = try Bench.pairing()
        let credential = try await bench.credential(["agent_display_name": "My agent"])
        let list = try #require(bench.module.keyList)
        let paired = try await list.part(after: nil, limit: 10).keys
        #expect(paired.map(\.scopes) == [["subscribe", "without a registration"]])
        _ = try await bench.subscribe(credential)
        let key = try #require(try await list.part(after: nil, limit: 10).keys.first)
        #expect(key.name == "My agent" && key.scopes == ["subscribe"] && key.createdAt == bench.clock.timestamp)
        #expect(!"\(key)".contains(credential))
        #expect(try await list.revoke(key.id))
        #expect(try await !list.revoke(key.id))
        #expect(try await bench.devices().isEmpty)
        #expect(try await bench.subscribe(credential).withoutMessage == .unauthorized)
        #expect(try await list.part(after: nil, limit: 10).keys.isEmpty)
    }

    @Test(
        "A browser whose key is revoked while it subscribes is not subscribed, for the first time or again",
        arguments: [false, true])
    func revokedMeanwhile(isSubscribed: Bool) async throws {
        let bench = try Bench.pairing()
        let credential = try await bench.credential()
        if isSubscribed { #expect(try await bench.subscribe(credential).status == .ok) }
        let paths = [
            try DocumentPath("pairedDevices/" + SHA256.hexadecimal(of: credential)),
            try DocumentPath("\(Bench.agent)/devices/web-" + SHA256.hexadecimal(of: credential).prefix(16)),
        ]
        bench.store.set { hooks in
            hooks.beforeCommit = { [disk = bench.disk] writes throws(StoreError) in
                // No later commit is needed to undo the subscription: a crash could prevent it.
                if case .delete? = writes.first?.operation { throw StoreError.diskFull }
                _ = try await disk.documents.commit(paths.map { .delete($0) })
            }
        }
        #expect(try await bench.subscribe(credential).withoutMessage == .unauthorized)
        #expect(try await bench.devices().isEmpty)
    }

    @Test("A subscription is a use of the credential, in the same commit")
    func lastUse() async throws {
        let bench = try Bench.pairing()
        let credential = try await bench.credential()
        let commits = Tally()
        bench.store.set { hooks in hooks.beforeCommit = { _ throws(StoreError) in commits.add() } }
        for count in 1...2 {
            bench.clock.advance(by: .seconds(1))
            #expect(try await bench.subscribe(credential).status == .ok)
            let device = try #require(try await bench.documents(in: "pairedDevices").first)
            #expect(device["usedAt"]?.timestamp == bench.clock.timestamp && commits.count == count)
        }
    }

    @Test("Old codes are removed within an hour, and credentials that were not used for 90 days")
    func cleanUp() async throws {
        let bench = try Bench.pairing()
        _ = try await bench.credential()
        _ = try await bench.makeCode()
        let codes = try #require(bench.module.jobs.first { $0.name == "codeagents-codes" })
        #expect(codes.interval == .seconds(3_600))
        bench.clock.advance(by: .seconds(601))
        try await codes.run()
        #expect(try await bench.documents(in: "pairings").isEmpty)
        let daily = try #require(bench.module.jobs.first { $0.name == "codeagents-clean-up" })
        bench.clock.advance(by: .seconds(90 * 86_400 - 601))
        try await daily.run()
        #expect(try await bench.documents(in: "pairedDevices").count == 1)
        bench.clock.advance(by: .seconds(1))
        try await daily.run()
        #expect(try await bench.documents(in: "pairedDevices").isEmpty)
    }

    @Test("Codes, credentials and the secret are in no document and in no line of the log")
    func secrecy() async throws {
        let bench = try Bench.pairing()
        let code = try await bench.makeCode()
        let credential = try await bench.credential()
        _ = try await bench.subscribe(credential)
        _ = try await bench.subscribe(credential + "x")
        let collections = ["pairings", "pairedDevices", "servers", "\(Bench.agent)/devices"]
        var texts = bench.log.lines
        for collection in collections { texts += try await bench.documents(in: collection).map { "\($0)" } }
        #expect(texts.count >= 6)
        for secret in [code, credential, Call.secret] { #expect(!texts.contains { $0.contains(secret) }) }
    }
}
