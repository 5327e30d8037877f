import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Runs: notifications", .timeLimit(.minutes(10)))
struct RunsNotificationTests {
    private static func message(
        _ title: String, _ body: String?, _ data: [String: String], collapseID: String, badge: Int64? = nil
    ) -> Message {
        var aps: JSONObject = ["sound": "default"]
        aps["badge"] = badge.map(JSONValue.integer)
        return Message(
            notification: Message.Notification(title: title, body: body), data: data,
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": collapseID],
                payload: ["aps": .object(aps)]))
    }

    private static let approvalData = [
        "type": "approval", "approval_id": "approval-1", "run_id": "run-1", "server_id": "server-1",
    ]
    private static let runData = ["type": "run", "run_id": "run-1", "server_id": "server-1"]

    @Test("An approval request notifies every device, with a badge")
    func approval() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register("token-1")
            _ = try await bench.register("token-2")
            let answer = try await bench.requestApproval()
            #expect(answer == .json(.accepted, ["status": "accepted"]))
            let sent = await bench.sent(2)
            #expect(Set(sent.map(\.token)) == ["token-1", "token-2"])
            #expect(
                sent.map(\.message.message).allSatisfy {
                    $0
                        == Self.message(
                            "Approval needed", "pushgate: Fix the login bug", Self.approvalData,
                            collapseID: "approval-1", badge: 1)
                })
        }
    }

    @Test("The notification of an ended run has no badge, and that of a failed run has its error")
    func ends() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.report("event-1", "run_completed")
            // A notification of the same run would replace it while it waits.
            _ = await bench.sent(1)
            _ = try await bench.report("event-2", "run_failed", ["error": "exit status 1\nand more"])
            let messages = await bench.sent(2).map(\.message.message)
            #expect(
                messages == [
                    Self.message("Run completed", "pushgate: Fix the login bug", Self.runData, collapseID: "run-1"),
                    Self.message("Run failed", "pushgate: exit status 1 and more", Self.runData, collapseID: "run-1"),
                ])
        }
    }

    @Test(
        "The text of a run notification consists of the parts that are present",
        arguments: [
            (["repo_name": "", "prompt_preview": "Do it"] as JSONObject, "Do it"),
            (["repo_name": "here", "prompt_preview": nil], "here"),
            (["repo_name": " ", "prompt_preview": 7], nil),
            (
                ["repo_name": "here", "prompt_preview": .string(String(repeating: "a", count: 300))],
                "here: " + String(repeating: "a", count: 239) + "…"
            ),
        ] as [(JSONObject, String?)])
    func texts(data: JSONObject, body: String?) async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            _ = try await bench.report("event-1", "run_completed", data)
            #expect(await bench.sent(1).map(\.message.message.notification?.body) == [body])
        }
    }

    @Test("A repeated event of a run, or one of another type, is accepted and sends nothing")
    func repetition() async throws {
        let bench = try RunsBench()
        try await bench.running {
            _ = try await bench.register()
            for _ in 0..<3 {
                let answer = try await bench.report("event-1", "run_completed")
                #expect(answer.status == .accepted)
            }
            let other = try await bench.report("event-2", "output")
            #expect(other.status == .accepted)
            _ = await bench.sent(1)
            _ = try await bench.report("event-3", "run_completed")
            #expect(await bench.sent(2).count == 2)
            let ids = try await bench.documents(in: "messages").count
            #expect(ids == 2)
        }
    }

    @Test("A run event without devices is accepted and leaves nothing to send")
    func nobody() async throws {
        let bench = try RunsBench()
        try await bench.running {
            let answer = try await bench.report("event-1", "run_completed")
            #expect(answer.status == .accepted)
            _ = try await bench.register()
            _ = try await bench.report("event-2", "run_failed")
            #expect(await bench.sent(1).map(\.message.message.notification?.title) == ["Run failed"])
        }
    }

    @Test("A device whose token is unknown is removed from runs")
    func deadToken() async throws {
        let bench = try RunsBench(
            ScriptedTransport { $0.token == "dead" ? .unknownToken : .accepted })
        try await bench.running {
            _ = try await bench.register("dead")
            _ = try await bench.register("alive")
            _ = try await bench.report("event-1", "run_completed")
            let isGone = await eventually {
                (try? await bench.documents(in: "runDevices").count) == 1
            }
            #expect(isGone)
        }
    }
}
