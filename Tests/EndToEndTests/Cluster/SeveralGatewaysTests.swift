import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestBasics
import TestDoubles
import TestSupport
import Testing

/// Gateways in processes of their own over one PostgreSQL database.
@Suite("Several gateways", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct SeveralGatewaysTests {
    private let token = String.randomToken()
    private let secret = String.randomSecret()

    /// Runs two gateways for the body.
    private func withGateways(
        _ settings: [String: String] = [:],
        _ body: (APNsSimulator, ServingProcess, ServingProcess) async throws -> Void
    ) async throws {
        let store = ["store.url": try await TestStore.emptyDatabase(), "store.lease": "3s", "store.connections": "3"]
        try await withSimulator { apns in
            let settings = apns.gatewaySettings.merging(store) { $1 }.merging(settings) { $1 }
            try await ServingProcess.running(settings) { first in
                try await ServingProcess.running(settings) { second in
                    try await body(apns.simulator, first, second)
                }
            }
        }
    }

    /// Triggers at a gateway, whose first attempt fails.
    private func failFirst(_ apns: APNsSimulator, _ gateway: ServingProcess) async throws {
        apns.script(token: token, answers: [.rejecting(.serviceUnavailable)])
        let daemon = Daemon(gateway.caller, secret: secret)
        try await daemon.register("phone", token: token)
        #expect(try await daemon.trigger(isAsync: true).status == 200)
        try await apns.wait(for: 1)
    }

    private func messages(_ gateway: ServingProcess) async throws -> [JSONValue] {
        try await gateway.ask("/v1/projects/pushgate/databases/(default)/documents/messages").body["documents"]?.array
            ?? []
    }

    /// Waits until messages have settled, so that what happens to their gateway does not matter to them.
    private func settle(_ count: Int, _ gateway: ServingProcess) async throws {
        try await eventually("the messages settle") {
            let messages = try await messages(gateway)
            return messages.count == count && messages.allSatisfy { $0["fields"]?["settledAt"] != nil }
        }
    }

    @Test("Any of them takes any request, and a broadcast reaches each device once")
    func requests() async throws {
        try await withGateways { apns, first, second in
            for (number, gateway) in [first, second].enumerated() {
                try await Daemon(gateway.caller, secret: secret).register("phone \(number)", token: .randomToken())
            }
            for gateway in [first, second, first] {
                #expect(try await Daemon(gateway.caller, secret: secret).trigger().body["sent"] == 2)
            }
            let received = try await apns.wait(for: 6)
            #expect(Set(received.map(\.apnsID)).count == 6 && received.count == 6)
        }
    }

    @Test(
        "What a killed gateway had accepted is sent by the other within the lease, under the same id",
        arguments: [true, false])
    func kill(isFirst: Bool) async throws {
        try await withGateways { apns, first, second in
            let (victim, survivor) = isFirst ? (first, second) : (second, first)
            try await failFirst(apns, victim)
            victim.child.send(signal: SIGKILL)
            let received = try await apns.wait(for: 2)
            #expect(Set(received.map(\.apnsID)).count == 1)
            #expect(received.map(\.isAccepted) == [false, true])
            try await eventually("the survivor tells") {
                survivor.child.errorText.contains("took over the messages of a gateway that is gone")
            }
            #expect(try await Daemon(survivor.caller, secret: secret).trigger().body["sent"] == 1)
        }
    }

    @Test("A gateway that was paused beyond its lease changes nothing more, says so, and ends")
    func pause() async throws {
        try await withGateways { apns, first, second in
            try await failFirst(apns, first)
            first.child.send(signal: SIGSTOP)
            try await apns.wait(for: 2)
            try await settle(1, second)
            let settled = try await messages(second)
            first.child.send(signal: SIGCONT)
            let finished = try await first.child.finish()
            #expect(finished.exitCode == 1)
            #expect(finished.errors.contains("another gateway has taken over the work of this one"))
            #expect(try await messages(second) == settled)
            let received = apns.received()
            #expect(Set(received.map(\.apnsID)).count == 1)
            #expect(received.filter(\.isAccepted).count <= 2)
        }
    }

    @Test("An orderly end leaves its messages to the others at once, and the last one's to the next start")
    func end() async throws {
        try await withGateways { apns, first, second in
            try await failFirst(apns, first)
            first.child.send(signal: SIGTERM)
            #expect(try await first.child.finish().exitCode == 0)
            let received = try await apns.wait(for: 2)
            #expect(Set(received.map(\.apnsID)).count == 1)
            #expect(second.child.errorText.contains("another gateway has ended"))
        }
    }

    @Test("Reminders come from one of them, and from another after that one is gone")
    func reminders() async throws {
        let key = String.randomSecret()
        let settings = [
            "functions.runs.enabled": "true", "functions.runs.apiKeys": key, "functions.runs.reminders": "1s,8s",
        ]
        try await withGateways(settings) { apns, first, second in
            let headers: HTTPFields = [.authorization: "Bearer \(key)", .contentType: "application/json"]
            let device = #"{"token":"\#(token)","platform":"ios"}"#
            let event = """
                {"id":"1","run_id":"run-1","type":"approval_requested","data":{"approval_id":"a-1","type":"command",\
                "repo_name":"my-repo","prompt_preview":"Fix the login bug","server_id":"server-1"}}
                """
            for (path, body, status) in [("/api/devices", device, 201), ("/api/events", event, 202)] {
                let answer = try await second.caller.send(.post, path, headerFields: headers, body: Array(body.utf8))
                #expect(answer.status == status, "\(answer)")
            }
            // The first is the older one, so it leads.
            try await apns.wait(for: 2)
            try await settle(2, second)
            first.child.send(signal: SIGKILL)
            let received = try await apns.wait(for: 3)
            #expect(Set(received.map(\.apnsID)).count == 3)
            try await Task.sleep(for: .seconds(1))
            #expect(apns.received().count == 3)
        }
    }
}
