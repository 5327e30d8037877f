import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Human tasks: notifications", .timeLimit(.minutes(10)))
struct TaskNotificationTests {
    private static func message(_ title: String, _ body: String, _ task: String) -> Message {
        Message(
            notification: Message.Notification(title: title, body: body), data: ["hit_id": task],
            apns: Message.APNsConfiguration(
                headers: ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": task],
                payload: ["aps": ["sound": "default"]]))
    }

    @Test(
        "The notification of a completed task says who sent how many photos",
        arguments: [
            ("Sarah", 0, "Sarah completed your request"), ("Sarah", 1, "Sarah sent 1 photo"),
            ("Sarah", 3, "Sarah sent 3 photos"),
        ] as [(JSONValue, Int64, String)])
    func completed(recipient: JSONValue, photos: Int64, body: String) async throws {
        let bench = try HumanTasksBench()
        try await bench.running {
            let task = try await bench.ask(try await bench.makePhone(), ["recipient_name": recipient])
            _ = try await bench.disk.documents.commit([
                .update(try DocumentPath("humanTasks/\(task)"), ["photoCount": .integer(photos)])
            ])
            let answer = try await bench.call(.patch, "/api/hits/\(task)/complete")
            #expect(answer.status == .ok && answer.body["photo_count"] == .integer(photos))
            let sent = await bench.sent(1)
            #expect(sent.map(\.token) == ["token-1"])
            #expect(sent.first?.message.message == Self.message("HIT Completed", body, task))
        }
    }

    @Test(
        "The notification of a response names the type of task",
        arguments: [
            ("poll", "HIT Response", "Tom responded to your request"),
            ("group_poll", "New Group Poll Vote", "Tom voted in your group poll"),
            ("availability", "New Availability Response", "Tom responded to your availability poll"),
            ("photo", "HIT Response", "Tom responded to your request"),
            (nil, "HIT Response", "Tom responded to your request"),
        ] as [(JSONValue, String, String)])
    func responded(type: JSONValue, title: String, body: String) async throws {
        let bench = try HumanTasksBench()
        try await bench.running {
            let task = try await bench.ask(try await bench.makePhone(), ["hit_type": type])
            _ = try await bench.call(
                .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": ["a": 1]])
            #expect(await bench.sent(1).map(\.message.message) == [Self.message(title, body, task)])
        }
    }

    @Test(
        "The notification of a completed group or open task names no recipient",
        arguments: [("open", "Anyone completed your request"), ("group", "Group completed your request")])
    func nobodyInParticular(mode: String, body: String) async throws {
        let bench = try HumanTasksBench()
        try await bench.running {
            let task = try await bench.ask(
                try await bench.makePhone(), ["distribution_mode": .string(mode), "participants": ["Tom"]])
            _ = try await bench.call(.patch, "/api/hits/\(task)/complete")
            #expect(await bench.sent(1).map(\.message.message.notification?.body) == [body])
        }
    }

    @Test("Completing a task does not wait for the push service")
    func noWaiting() async throws {
        let gate = Gate()
        let bench = try HumanTasksBench(ScriptedTransport(holding: "token-1", at: gate))
        try await bench.running {
            let task = try await bench.ask(try await bench.makePhone())
            #expect(try await bench.call(.patch, "/api/hits/\(task)/complete").status == .ok)
            #expect(await bench.sent(1).count == 1)
            gate.open()
        }
    }

    @Test("A device without a token gets no notification, and the completion is stored")
    func noToken() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone(token: nil))
        #expect(try await bench.call(.patch, "/api/hits/\(task)/complete").status == .ok)
        #expect(try await bench.documents(in: "messages").isEmpty)
        #expect(try await bench.status(task) == "completed")
    }

    @Test("An unknown token is removed, and its device stays")
    func deadToken() async throws {
        let bench = try HumanTasksBench(ScriptedTransport { $0.token == "dead" ? .unknownToken : .accepted })
        try await bench.running {
            let alive = try await bench.makePhone()
            let first = try await bench.ask(alive)
            _ = try await bench.call(.patch, "/api/hits/\(first)/complete")
            _ = await bench.sent(1)
            let phone = try await bench.makePhone("Gone", token: "dead")
            let task = try await bench.ask(phone)
            _ = try await bench.call(.patch, "/api/hits/\(task)/complete")
            try await eventually("one token is left") { try await bench.documents(in: "humanTaskTokens").count == 1 }
            #expect(try await bench.call(.get, "/api/devices/\(phone.id)").status == .ok)
        }
    }
}
