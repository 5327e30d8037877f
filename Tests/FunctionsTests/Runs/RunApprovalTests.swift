import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@Suite("Runs: decisions about approvals", .timeLimit(.minutes(10)))
struct RunApprovalTests {
    private static let path = "/api/approvals/approval-1"

    private func error(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> FunctionResponse {
        FunctionResponse(status: status, body: ["error": ["code": .string(code), "message": .string(message)]])
    }

    private func decide(_ bench: RunsBench, _ decision: String, path: String = Self.path) async throws
        -> FunctionResponse
    {
        try await bench.call(.post, path, ["decision": .string(decision)])
    }

    private func state(_ bench: RunsBench, wait: String? = nil) async throws -> FunctionResponse {
        try await bench.call(.get, Self.path, query: wait.map { ["wait": $0] } ?? [:])
    }

    // MARK: The decision

    @Test(
        "A decision is taken once: the same again changes nothing, and another one is refused",
        arguments: [("approve", "approved", "deny"), ("deny", "denied", "approve")])
    func once(decision: String, name: String, other: String) async throws {
        let bench = try RunsBench()
        _ = try await bench.requestApproval()
        let expiry = JSONValue.integer(bench.clock.seconds + 86_400)
        #expect(
            try await state(bench).body == ["approval_id": "approval-1", "state": "pending", "expires_at": expiry])
        bench.clock.advance(by: .seconds(5))
        let decided: JSONValue = [
            "approval_id": "approval-1", "state": .string(name), "expires_at": expiry,
            "decided_at": .integer(bench.clock.seconds),
        ]
        #expect(try await decide(bench, decision) == FunctionResponse(body: decided))
        bench.clock.advance(by: .seconds(5))
        #expect(try await decide(bench, decision) == FunctionResponse(body: decided))
        #expect(
            try await decide(bench, other)
                == error(.conflict, "already_decided", "the approval is \(name) already"))
        #expect(try await state(bench) == FunctionResponse(body: decided))
    }

    @Test("Of decisions that come at the same time one is taken")
    func race() async throws {
        let bench = try RunsBench()
        _ = try await bench.requestApproval()
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for decision in ["approve", "deny"] { group.addTask { try await decide(bench, decision).status } }
            return try await group.reduce(into: [HTTPResponse.Status]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == .ok } == 1 && statuses.count { $0 == .conflict } == 1)
    }

    @Test("A decision is recorded for webhooks once, in the commit that takes it")
    func webhooks() async throws {
        let recorder = RecordedDecisions()
        let bench = try RunsBench(events: recorder)
        _ = try await bench.requestApproval()
        bench.clock.advance(by: .seconds(5))
        for decision in ["deny", "deny", "approve"] { _ = try await decide(bench, decision) }
        let decision = DeliveryEvent.ApprovalDecision(
            approval: "approval-1", run: "run-1", server: "server-1", decision: "denied",
            decidedAt: bench.clock.timestamp)
        #expect(recorder.decisions == [decision] && recorder.commits == 1)
        let approval = try #require(try await bench.documents(in: "runApprovals").first)
        let event = try #require(try await bench.documents(in: "recordedDecisions").first)
        #expect(approval.updateTime == event.updateTime)
    }

    @Test("A decided approval is not requested again, and the run's server resolves it as before")
    func reminders() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.requestApproval()
            try await eventually("the request is sent") { bench.transport.sent.count == 1 }
            _ = try await decide(bench, "approve")
            let approval = try #require(try await bench.documents(in: "runApprovals").first)
            #expect(approval["dueAt"] == nil && approval["decision"]?.string == "approved")
            #expect(try await bench.documents(in: "runState").first?["pending"]?.integer == 1)
            _ = try await bench.resolveApproval()
            #expect(try await bench.documents(in: "runState").first?["pending"]?.integer == 0)
            #expect(try await state(bench).body["state"] == "approved")
        }
    }

    // MARK: Its limits

    @Test("After its expiry an approval takes no decision, and no reminder follows")
    func expiry() async throws {
        let bench = try RunsBench()
        let expiry = bench.clock.seconds + 600
        _ = try await bench.report(
            "event-1", "approval_requested", ["approval_id": "approval-1", "expires_at": .integer(expiry)])
        let dueAt = try await bench.documents(in: "runApprovals").first?["dueAt"]?.timestamp
        #expect(dueAt?.seconds == expiry)
        bench.clock.advance(by: .seconds(599))
        #expect(try await state(bench).body["state"] == "pending")
        bench.clock.advance(by: .seconds(1))
        #expect(try await state(bench).body["state"] == "expired")
        #expect(
            try await decide(bench, "approve")
                == error(.gone, "expired", "the approval has expired, so no decision is taken any more"))
    }

    @Test("An approval that the run's server has resolved, or whose run has ended, takes no decision")
    func resolved() async throws {
        let bench = try RunsBench()
        _ = try await bench.requestApproval()
        _ = try await bench.resolveApproval()
        #expect(try await state(bench).body == ["approval_id": "approval-1", "state": "resolved"])
        #expect(
            try await decide(bench, "approve")
                == error(.conflict, "already_decided", "the approval is resolved already"))
        _ = try await bench.requestApproval("approval-2", event: "event-3")
        _ = try await bench.report("event-4", "run_cancelled")
        #expect(try await decide(bench, "deny", path: "/api/approvals/approval-2").status == .conflict)
    }

    @Test("An unknown approval, another decision and another wait are refused")
    func refused() async throws {
        let bench = try RunsBench()
        let unknown = error(.notFound, "not_found", "there is no such approval")
        #expect(try await state(bench) == unknown)
        #expect(try await decide(bench, "approve") == unknown)
        _ = try await bench.requestApproval()
        for body: JSONValue in [[:], ["decision": "yes"], ["decision": true]] {
            #expect(
                try await bench.call(.post, Self.path, body)
                    == error(.badRequest, "invalid_input", "decision must be 'approve' or 'deny'"))
        }
        for wait in ["-1", "31", "1.5", "long"] {
            #expect(
                try await state(bench, wait: wait)
                    == error(.badRequest, "invalid_input", "wait must be a whole number of seconds, 30 at most"))
        }
    }

    @Test("Only POST decides, and only with a key", arguments: [HTTPRequest.Method.get, .put, .delete])
    func methods(method: HTTPRequest.Method) async throws {
        let bench = try RunsBench()
        _ = try await bench.requestApproval()
        _ = try await bench.call(method, Self.path, ["decision": "approve"], query: ["decision": "approve"])
        let answer = try await bench.call(
            .post, Self.path, ["decision": "approve"], headers: [.authorization: "Bearer wrong"])
        #expect(answer.status == .unauthorized)
        #expect(try await state(bench).body["state"] == "pending")
    }

    // MARK: The wait

    @Test("A server that waits gets the decision at once")
    func wait() async throws {
        let bench = try RunsBench()
        _ = try await bench.requestApproval()
        async let waited = state(bench, wait: "30")
        try await eventually("the server waits") { !bench.clock.pendingSleeps.isEmpty }
        _ = try await decide(bench, "deny")
        #expect(try await waited.body["state"] == "denied")
    }

    @Test("A wait ends when its client is gone, and a gateway that starts again answers with the decision")
    func gone() async throws {
        let bench = try RunsBench()
        _ = try await bench.requestApproval()
        let waited = Task { try await state(bench, wait: "30") }
        try await eventually("the server waits") { !bench.clock.pendingSleeps.isEmpty }
        waited.cancel()
        _ = try? await waited.value
        try await eventually("nothing waits") { bench.clock.pendingSleeps.isEmpty }
        _ = try await decide(bench, "approve")
        let next = try RunsBench(on: bench.disk, clock: bench.clock)
        #expect(try await state(next, wait: "30").body["state"] == "approved")
    }

    @Test("A wait ends with its time, and with the expiry of the approval", arguments: [(30, 600), (30, 10)])
    func end(wait: Int, expiry: Int64) async throws {
        let bench = try RunsBench()
        let begun = bench.clock.seconds
        _ = try await bench.report(
            "event-1", "approval_requested",
            ["approval_id": "approval-1", "expires_at": .integer(begun + expiry)])
        async let waited = state(bench, wait: "\(wait)")
        try await eventually("the server waits") { !bench.clock.pendingSleeps.isEmpty }
        bench.clock.advance(by: .seconds(min(Int64(wait), expiry)))
        #expect(try await waited.body["state"] == (expiry < 30 ? "expired" : "pending"))
    }
}

/// Keeps the decisions that are recorded, and writes a document for each.
private final class RecordedDecisions: DeliveryEventRecorder {
    private let state = Mutex((decisions: [DeliveryEvent.ApprovalDecision](), commits: 0))

    var isRecording: Bool { true }
    var decisions: [DeliveryEvent.ApprovalDecision] { state.withLock(\.decisions) }
    var commits: Int { state.withLock(\.commits) }

    func writes(recording events: [DeliveryEvent]) -> [Write] {
        var writes: [Write] = []
        for case .decided(let decision) in events {
            state.withLock { $0.decisions.append(decision) }
            if let path = try? DocumentPath("recordedDecisions/\(decision.approval)") { writes.append(.set(path, [:])) }
        }
        return writes
    }

    func recorded() { state.withLock { $0.commits += 1 } }
}
