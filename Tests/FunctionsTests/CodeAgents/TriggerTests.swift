import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("triggerReplyFinished")
struct TriggerTests {
    @Test("A trigger for an unknown server is answered with unknown_server and creates nothing")
    func unknownServer() async throws {
        let bench = try Bench()
        #expect(
            try await bench.trigger()
                == .ok(["ok": true, "attempted": 0, "sent": 0, "excluded": 0, "reason": "unknown_server"]))
        #expect(try await bench.documents().isEmpty)
    }

    @Test("A trigger for an unknown agent has no devices and does not create the agent")
    func unknownAgent() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        var expected = try await bench.documents()
        bench.clock.advance(by: .seconds(3_600))
        #expect(
            try await bench.trigger(.trigger(cwd: "/none"))
                == .ok(["ok": true, "attempted": 0, "sent": 0, "excluded": 0]))
        expected[Bench.server]?["lastSeenAt"] = bench.now
        #expect(try await bench.documents() == expected)
    }

    @Test(
        "A trigger for a folder without devices says that the same folder with or without a slash has some",
        arguments: [("/srv/app", "/srv/app/"), ("/srv/app/", "/srv/app")])
    func slash(registered: String, triggered: String) async throws {
        let bench = try Bench()
        _ = try await bench.register(.register(cwd: registered))
        let answer = try await bench.trigger(.trigger(cwd: triggered))
        #expect(answer.body["attempted"] == 0)
        let warning = try #require(answer.body["warnings"]?[0]?.string)
        #expect(warning.hasPrefix("no device is registered for \(triggered), and some are for \(registered), with"))
        #expect(try await bench.trigger(.trigger(cwd: "/")).body["warnings"] == nil)
        #expect(try await bench.trigger(.trigger(cwd: triggered + "///")).body["warnings"] == nil)
    }

    @Test("A trigger without devices refreshes the times and creates no message")
    func noDevices() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        _ = try await bench.unregister(.unregister())
        var expected = try await bench.documents()
        bench.clock.advance(by: .seconds(3_600))
        #expect(try await bench.trigger() == .ok(["ok": true, "attempted": 0, "sent": 0, "excluded": 0]))
        expected[Bench.server]?["lastSeenAt"] = bench.now
        expected[Bench.agent]?["updatedAt"] = bench.now
        #expect(try await bench.documents() == expected)
    }

    @Test("A trigger with only excluded devices counts them and sends nothing")
    func allExcluded() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        _ = try await bench.register(.register("tablet"))
        #expect(
            try await bench.trigger(.trigger(["exclude_installation_id": "phone"]))
                == .ok(["ok": true, "attempted": 0, "sent": 0, "excluded": 2]))
        #expect(try await bench.documents().keys.allSatisfy { !$0.hasPrefix("messages") })
    }

    @Test("The answer to a delivered trigger has exactly the expected members")
    func delivered() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.register(.register("tablet", token: "token-2"))
            #expect(
                try await bench.trigger()
                    == .ok([
                        "ok": true, "attempted": 2, "sent": 2, "pruned": 0, "excluded": 0, "preview_included": false,
                    ]))
        }
        #expect(bench.transport.tokens.sorted() == ["token-1", "token-2"])
    }

    @Test("A trigger counts errors by FCM's codes and removes unregistered devices")
    func errors() async throws {
        let codes: [String: MessagingErrorCode] = [
            "dead": .registrationTokenNotRegistered, "dead2": .registrationTokenNotRegistered,
            "invalid": .invalidRegistrationToken, "argument": .invalidArgument, "credential": .mismatchedCredential,
            "key": .thirdPartyAuthError, "unknown": .unknownError, "internal": .internalError,
        ]
        let bench = try Bench(
            ScriptedTransport { sent in
                guard let code = codes[sent.token] else { return .accepted }
                let isDead = [.registrationTokenNotRegistered, .invalidRegistrationToken].contains(code)
                return .rejected(
                    Rejection(code: code, reason: "Reason", invalidation: isDead ? .unregistered(since: nil) : nil))
            })
        try await bench.running {
            for token in codes.keys.sorted() + ["good"] { _ = try await bench.register(.register(token, token: token)) }
            _ = try await bench.register(.register("dead", token: "dead", cwd: "/srv/other"))
            #expect(
                try await bench.trigger()
                    == .ok([
                        "ok": true, "attempted": 9, "sent": 1, "pruned": 3, "excluded": 0, "preview_included": false,
                        "errors": [
                            "messaging/internal-error": 1, "messaging/invalid-argument": 1,
                            "messaging/invalid-registration-token": 1, "messaging/mismatched-credential": 1,
                            "messaging/registration-token-not-registered": 2, "messaging/third-party-auth-error": 1,
                            "messaging/unknown-error": 1,
                        ],
                    ]))
            let left = try await bench.documents().keys.filter { $0.hasPrefix(Bench.agent + "/devices/") }
            #expect(
                left.sorted()
                    == ["argument", "credential", "good", "internal", "key", "unknown"].map(Bench.device))
        }
        // The devices are removed only below this agent.
        #expect(try await bench.documents().keys.contains { $0.hasSuffix("/devices/dead") })
    }

    @Test("A device without an outcome at the time limit is pending and still gets its notification")
    func pending() async throws {
        let gate = Gate()
        let bench = try Bench(ScriptedTransport(holding: "slow", at: gate))
        try await bench.running {
            _ = try await bench.register(.register("a", token: "slow"))
            _ = try await bench.register(.register("b", token: "quick"))
            async let answer = bench.trigger()
            try await eventually("the notification is in flight and the caller waits") {
                gate.waiting == 1 && bench.transport.sent.count == 2
                    && bench.clock.pendingSleeps.contains(Deadlines.tick)
            }
            try await eventually("the quick outcome is stored", advancing: bench.clock, by: .milliseconds(100)) {
                try await bench.chunkStates().contains("accepted")
            }
            #expect(bench.clock.now.offset < .milliseconds(1_900))
            bench.clock.advance(by: .seconds(2))
            #expect(
                try await answer
                    == .ok([
                        "ok": true, "attempted": 2, "sent": 1, "pruned": 0, "excluded": 0, "preview_included": false,
                        "pending": 1,
                    ]))
            gate.open()
            try await eventually("the slow device gets its notification") {
                try await bench.chunkStates() == ["accepted", "accepted"]
            }
        }
        #expect(bench.transport.sent.count == 2)
    }

    @Test("A failed device is pending, with its error, until the retry")
    func failed() async throws {
        let bench = try Bench(
            ScriptedTransport { _ in
                .failed(Failure(code: .serverUnavailable, reason: "ServiceUnavailable", retryAfter: .seconds(600)))
            })
        try await bench.running {
            _ = try await bench.register()
            let body = try await bench.trigger().body
            try await eventually("the attempt is stored") { try await bench.chunkAttempts() == 1 }
            #expect(body["pending"] == 1)
            #expect(body["errors"] == ["messaging/server-unavailable": 1])
            #expect(body["sent"] == 0)
        }
    }

    @Test(
        "With respond-async, a trigger answers as soon as the message is durable",
        arguments: [
            ["respond-async"], ["Respond-Async, wait=10"], ["wait=10", "respond-async"], ["foo=1,respond-async"],
        ])
    func respondAsync(values: [String]) async throws {
        let bench = try Bench()
        _ = try await bench.register()
        var call = Call.trigger()
        for value in values {
            call.headers.append(HTTPField(name: try #require(HTTPField.Name("Prefer")), value: value))
        }
        // No dispatcher runs.
        let answer = try await bench.trigger(call)
        #expect(
            answer
                == FunctionResponse(
                    headerFields: [try #require(HTTPField.Name("Preference-Applied")): "respond-async"],
                    body: [
                        "ok": true, "attempted": 1, "sent": 0, "pruned": 0, "excluded": 0, "preview_included": false,
                        "pending": 1,
                    ]))
        #expect(try await bench.chunkStates() == ["pending"])
        try await bench.running {
            try await eventually("the message is delivered") { try await bench.chunkStates() == ["accepted"] }
        }
    }

    @Test(
        "A preference other than respond-async has no effect",
        arguments: ["wait=10", "respond-asynchronously", "return=minimal"])
    func otherPreferences(value: String) async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            var call = Call.trigger()
            call.headers[try #require(HTTPField.Name("Prefer"))] = value
            let answer = try await bench.trigger(call)
            #expect(answer.headerFields.isEmpty)
            #expect(answer.body["sent"] == 1)
        }
    }

    @Test("A trigger without devices commits nothing while the stored times are less than an hour old")
    func noCommit() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        _ = try await bench.unregister(.unregister())
        let expected = try await bench.documents()
        let commits = Tally()
        bench.store.set { $0.beforeCommit = { _ in commits.add() } }
        for cwd in ["/srv/app", "/none"] {
            bench.clock.advance(by: .seconds(1_799))
            #expect(
                try await bench.trigger(.trigger(cwd: cwd))
                    == .ok(["ok": true, "attempted": 0, "sent": 0, "excluded": 0]))
        }
        #expect(commits.count == 0)
        #expect(try await bench.documents() == expected)
    }

    @Test("A trigger with devices commits only its message while the stored times are less than an hour old")
    func onlyMessage() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        let before = try await bench.documents()
        bench.clock.advance(by: .seconds(3_599))
        try await bench.running {
            let response = try await bench.trigger()
            #expect(response.body["sent"] == 1)
        }
        let after = try await bench.documents()
        #expect(after.filter { !$0.key.hasPrefix("messages/") } == before)
        #expect(after.count == before.count + 1)
    }

    @Test("A time that the agent has stored is refreshed without that of the server, and the other way round")
    func eachByItself() async throws {
        let bench = try Bench()
        let first = bench.now
        _ = try await bench.register()
        bench.clock.advance(by: .seconds(3_000))
        // The server's time is stored by another agent's registration.
        _ = try await bench.register(.register(cwd: "/srv/other"))
        let second = bench.now
        try await bench.running {
            bench.clock.advance(by: .seconds(1_000))
            _ = try await bench.trigger()
            #expect(try await bench.document(Bench.agent)?["updatedAt"] == bench.now)
            #expect(try await bench.document(Bench.server) == ["createdAt": first, "lastSeenAt": second])
            let third = bench.now
            bench.clock.advance(by: .seconds(2_600))
            _ = try await bench.trigger()
            #expect(try await bench.document(Bench.agent)?["updatedAt"] == third)
            #expect(try await bench.document(Bench.server) == ["createdAt": first, "lastSeenAt": bench.now])
        }
    }

    @Test("A trigger refreshes the times of server and agent after an hour, and not the device's")
    func refresh() async throws {
        let bench = try Bench()
        let first = bench.now
        _ = try await bench.register(.register(name: "Agent"))
        bench.clock.advance(by: .seconds(3_600))
        try await bench.running { _ = try await bench.trigger() }
        #expect(try await bench.document(Bench.server) == ["createdAt": first, "lastSeenAt": bench.now])
        #expect(
            try await bench.document(Bench.agent)
                == ["cwd": "/srv/app", "agentDisplayName": "Agent", "updatedAt": bench.now])
        #expect(try await bench.document(Bench.device("phone"))?["updatedAt"] == first)
    }

    @Test("The message of an answered trigger is sent by the next process")
    func durable() async throws {
        let bench = try Bench()
        _ = try await bench.register()
        var call = Call.trigger()
        call.headers[try #require(HTTPField.Name("Prefer"))] = "respond-async"
        _ = try await bench.trigger(call)
        let dispatcher = Dispatcher(
            store: bench.disk.documents, transports: TransportTable(everythingTo: bench.transport), clock: bench.clock,
            now: { bench.clock.timestamp }, logger: bench.log.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await dispatcher.run() }
            defer { group.cancelAll() }
            try await eventually("the message is delivered") { try await bench.chunkStates() == ["accepted"] }
        }
        #expect(bench.transport.tokens == ["token-1"])
    }
}

extension Bench {
    private func chunks() async throws -> [Document] {
        try await disk.documents.documents(matching: .collectionGroup("messages"))
    }

    /// Returns the states of all targets of all messages.
    func chunkStates() async throws -> [String] {
        try await chunks().flatMap { chunk in
            chunk.settledStates + (chunk["targets"]?.array ?? []).compactMap { $0.map?["state"]?.string }
        }
    }

    func chunkAttempts() async throws -> Int64? { try await chunks().first?["attempts"]?.integer }
}
