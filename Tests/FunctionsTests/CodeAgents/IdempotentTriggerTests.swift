import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Triggers with an Idempotency-Key", .timeLimit(.minutes(10)))
struct IdempotentTriggerTests {
    private func call(_ key: String, _ fields: JSONObject = [:], secret: String = Call.secret) throws -> Call {
        var call = Call.trigger(fields, secret: secret)
        call.headers[try #require(HTTPField.Name("Idempotency-Key"))] = key
        return call
    }

    private func records(in bench: Bench) async throws -> [Document] {
        try await bench.disk.documents.documents(matching: .collection(CollectionPath("idempotencyKeys")))
    }

    private func messages(in bench: Bench) async throws -> Int {
        try await bench.disk.documents.count(.collection(CollectionPath("messages")))
    }

    /// Another gateway with the same documents, or the next process.
    private func other(_ bench: Bench, isShared: Bool) -> CodeAgents {
        let services = ModuleServices(bench.store, bench.dispatcher, bench.clock, bench.log.logger)
        return CodeAgents(
            settings: CodeAgentsSettings(), store: bench.store, broadcaster: services.broadcaster,
            isShared: isShared, clock: bench.clock, now: services.now, logger: bench.log.logger)
    }

    private func trigger(_ call: Call, at module: CodeAgents) async throws -> FunctionResponse {
        let function = try #require(module.functions.first { $0.name == "triggerReplyFinished" })
        return await function.handle(call.request)
    }

    /// Runs a closure once, before the first commit that has a write of a record for which the test holds.
    private func before(
        _ test: @escaping @Sendable (Write) -> Bool, in bench: Bench,
        _ body: @escaping @Sendable () async throws(StoreError) -> Void
    ) {
        let isDone = Mutex(false)
        bench.store.set { hooks in
            hooks.beforeCommit = { writes throws(StoreError) in
                guard writes.contains(where: { $0.path.collection.id == "idempotencyKeys" && test($0) }) else { return }
                let isFirst = isDone.withLock { isDone in
                    defer { isDone = true }
                    return !isDone
                }
                if isFirst { try await body() }
            }
        }
    }

    private static func isCreation(_ write: Write) -> Bool { write.precondition == .exists(false) }
    private static func isAnswer(_ write: Write) -> Bool { write.precondition == .exists(true) }

    // MARK: One gateway

    @Test("A repetition gets the first answer and sends nothing, although the device has gone meanwhile")
    func repetition() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            let first = try await bench.trigger(call("\"k\"", ["message_preview": "Done"]))
            #expect(first.status == .ok && first.body["sent"] == 1 && first.body["preview_included"] == true)
            _ = try await bench.unregister(.unregister())
            for key in ["\"k\"", "k"] {
                #expect(try await bench.trigger(call(key, ["message_preview": "Done"])) == first)
            }
        }
        #expect(bench.transport.sent.count == 1)
        #expect(try await messages(in: bench) == 1)
    }

    @Test("The header fields of the first answer are repeated")
    func headerFields() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            var call = try call("k")
            call.headers[try #require(HTTPField.Name("Prefer"))] = "respond-async"
            let first = try await bench.trigger(call)
            #expect(!first.headerFields.isEmpty)
            #expect(try await bench.trigger(call) == first)
        }
    }

    @Test("A request without the field leaves no record, and neither does one for which nothing is accepted")
    func noRecord() async throws {
        let bench = try Bench()
        try await bench.running {
            #expect(try await bench.trigger(call("k")).body["reason"] == "unknown_server")
            _ = try await bench.register()
            _ = try await bench.trigger()
            #expect(try await records(in: bench).isEmpty)
            // The first answer was for an unknown server.
            #expect(try await bench.trigger(call("k")).body["sent"] == 1)
            #expect(try await records(in: bench).count == 1)
        }
        #expect(bench.transport.sent.count == 2)
    }

    @Test("A repetition of a trigger without devices gets its answer, although there is a device now")
    func noDevices() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            let fields: JSONObject = ["exclude_installation_id": "phone"]
            let first = try await bench.trigger(call("k", fields))
            #expect(first.body["attempted"] == 0 && first.body["excluded"] == 1)
            _ = try await bench.register(.register("tablet", token: "token-2"))
            #expect(try await bench.trigger(call("k", fields)) == first)
        }
        #expect(bench.transport.sent.isEmpty)
    }

    @Test("The key with another body is 409; for another caller it is another key")
    func otherBody() async throws {
        let bench = try Bench()
        let secret = String(repeating: "s", count: 40)
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.register(.register("tablet", token: "token-2", secret: secret))
            _ = try await bench.trigger(call("k"))
            let answer = try await bench.trigger(call("k", ["message_preview": "Other"]))
            #expect(answer.status == .conflict && answer.body["error"] == "idempotency_key_reused")
            #expect(answer.body["message"]?.string?.contains("another body") == true)
            #expect(try await bench.trigger(call("k", secret: secret)).body["sent"] == 1)
        }
        #expect(bench.transport.tokens == ["token-1", "token-2"])
    }

    @Test("The contract's checks come before those of the key")
    func checks() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            var invalid = try call("a,b")
            #expect(try await bench.trigger(invalid).body["error"] == "idempotency_key_invalid")
            invalid.body = Array(#"{"cwd":""}"#.utf8)
            #expect(try await bench.trigger(invalid).withoutMessage == .badRequest)
            invalid.headers[.authorization] = nil
            #expect(try await bench.trigger(invalid).withoutMessage == .unauthorized)
        }
        #expect(bench.transport.sent.isEmpty)
    }

    @Test("Of several at the same time one is processed, and the others wait for its answer")
    func simultaneous() async throws {
        let gate = Gate()
        let bench = try Bench(ScriptedTransport(holding: "token-1", at: gate))
        try await bench.running {
            _ = try await bench.register()
            let request = try call("k")
            let answers = try await withThrowingTaskGroup(of: FunctionResponse.self) { group in
                for _ in 0..<4 { group.addTask { try await bench.trigger(request) } }
                try await eventually("one is sent") { gate.waiting == 1 }
                gate.open()
                var answers: [FunctionResponse] = []
                for try await answer in group { answers.append(answer) }
                return answers
            }
            #expect(Set(answers).count == 1 && answers.first?.body["sent"] == 1)
        }
        #expect(bench.transport.sent.count == 1)
    }

    @Test("A request that was not accepted, as on a full disk, is processed again")
    func fullDisk() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            before(Self.isCreation, in: bench) { () async throws(StoreError) in throw .diskFull }
            #expect(try await bench.trigger(call("k")).status == .serviceUnavailable)
            #expect(try await messages(in: bench) == 0)
            #expect(try await bench.trigger(call("k")).body["sent"] == 1)
        }
        #expect(bench.transport.sent.count == 1)
    }

    @Test("After a crash between the acceptance and its answer, a repetition gets the counts and sends nothing")
    func crash() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.register(.register("tablet", token: "token-2"))
            before(Self.isAnswer, in: bench) { () async throws(StoreError) in throw .diskFull }
            let fields: JSONObject = ["exclude_installation_id": "tablet"]
            let lost = try await bench.trigger(call("k", fields))
            try await eventually("the outcome is stored") {
                let messages = Query.collection(try CollectionPath("messages"))
                let settled = messages.where("settledAt", .greaterThan, .timestamp(.distantPast))
                return try await bench.disk.documents.count(settled) == 1
            }
            let next = other(bench, isShared: false)
            #expect(try await trigger(call("k", fields), at: next) == lost)
            #expect(lost.body["sent"] == 1 && lost.body["excluded"] == 1)
        }
        #expect(bench.transport.sent.count == 1)
    }

    @Test("A key is remembered for a day, also over a clock that is set back, and is new after that")
    func lifetime() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.trigger(call("k"))
            for step in [Duration.seconds(86_399), .seconds(-90_000)] {
                bench.clock.advance(by: step)
                _ = try await bench.trigger(call("k"))
                #expect(bench.transport.sent.count == 1)
                #expect(try await bench.trigger(call("k", ["x": 1])).status == .conflict)
            }
            bench.clock.advance(by: .seconds(90_001))
            #expect(try await bench.trigger(call("k", ["x": 1])).body["sent"] == 1)
            #expect(bench.transport.sent.count == 2)
            #expect(try await bench.trigger(call("k")).status == .conflict)
        }
    }

    @Test("The clean-up deletes the records of more than a day ago")
    func cleanUp() async throws {
        let bench = try Bench()
        let requests = IdempotentRequests(
            store: bench.store, isShared: false, now: { [clock = bench.clock] in clock.timestamp })
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.trigger(call("old"))
            bench.clock.advance(by: .seconds(86_401))
            _ = try await bench.trigger(call("new"))
            let before = try await records(in: bench).map(\.path)
            try await requests.sweep()
            let after = try await records(in: bench).map(\.path)
            #expect(before.count == 2 && after.count == 1)
        }
    }

    @Test("A record contains neither the secret, nor the key, nor a token")
    func secrecy() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.trigger(call("my-own-key"))
        }
        let record = try #require(try await records(in: bench).first)
        #expect(record["call"] == "triggerReplyFinished")
        let text = ["request", "answer", "message"].compactMap { record[$0]?.string }.joined() + record.path.id
        for secret in [Call.secret, "my-own-key", "token-1"] { #expect(!text.contains(secret)) }
    }

    @Test("If another gateway has ended before it stored its answer, the wait for it ends after 20 s")
    func deadGateway() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            let request = try call("k")
            before(Self.isAnswer, in: bench) { () async throws(StoreError) in throw .diskFull }
            let lost = try await trigger(request, at: other(bench, isShared: true))
            bench.clock.advance(by: .seconds(20))
            #expect(try await trigger(request, at: other(bench, isShared: true)).body["attempted"] == 1)
            #expect(lost.body["sent"] == 1)
        }
        #expect(bench.transport.sent.count == 1)
    }

    // MARK: Several gateways

    @Test("If two gateways accept a request at the same time, one commit succeeds, and both give its answer")
    func twoGateways() async throws {
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            let request = try call("k")
            let (one, two) = (other(bench, isShared: true), other(bench, isShared: true))
            let answers = Mutex<[FunctionResponse]>([])
            before(Self.isCreation, in: bench) { () async throws(StoreError) in
                // The other gateway does everything between this one's look and its commit.
                if let answer = try? await trigger(request, at: two) { answers.withLock { $0.append(answer) } }
            }
            let answer = try await trigger(request, at: one)
            #expect(answer.body["sent"] == 1)
            #expect(answers.withLock(\.self) == [answer])
        }
        #expect(bench.transport.sent.count == 1)
        #expect(try await messages(in: bench) == 1)
    }

    @Test("A gateway waits for the answer of another one")
    func waiting() async throws {
        let gate = Gate()
        let bench = try Bench()
        try await bench.running {
            _ = try await bench.register()
            let request = try call("k")
            let (one, two) = (other(bench, isShared: true), other(bench, isShared: true))
            before(Self.isAnswer, in: bench) { () async throws(StoreError) in await gate.pass() }
            async let first = trigger(request, at: one)
            try await eventually("the answer is about to be stored") { gate.waiting == 1 }
            async let second = trigger(request, at: two)
            try await eventually("the other gateway waits") {
                bench.clock.pendingSleeps.contains(.milliseconds(100))
            }
            gate.open()
            let answer = try await first
            bench.clock.advance(by: .milliseconds(100))
            #expect(try await second == answer)
        }
        #expect(bench.transport.sent.count == 1)
    }
}
