import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Phones at relays as devices of systems", .timeLimit(.minutes(10)))
struct RelayDeviceTests {
    private static let address = "relay:push.example.com/AbCdEfGhIjKlMnOpQrStUv"
    private static let secrets: JSONValue = [
        "send_secret": "0123456789abcdef", "p256dh": .string(SampleSubscription.p256dh),
        "auth": .string(SampleSubscription.auth), "collapse_key": "AAAAAAAAAAAAAAAAAAAAAA",
    ]

    /// Checks that a collection has the phone as its only device.
    private func expectDevice(_ documents: [Document]) {
        #expect(documents.map { $0["deviceToken"]?.string } == [Self.address])
        #expect(documents.map { $0["transport"]?.string } == ["relay"])
        #expect(documents.map { $0["platform"]?.string } == ["ios"])
        #expect(documents.map { $0["addressAttributes"]?.map?["send_secret"]?.string } == ["0123456789abcdef"])
    }

    private func register(_ bench: Bench, _ more: JSONObject) async throws -> FunctionResponse {
        var json: JSONObject = ["cwd": "/srv/app", "installation_id": "phone"]
        for (name, value) in more.members { json[name] = value }
        return try await bench.register(Call(.object(json)))
    }

    @Test("A phone registers its address for an agent, is notified there, and learns once that the address has ended")
    func codeAgents() async throws {
        let gone = Rejection(
            code: .registrationTokenNotRegistered, reason: "AddressGone", invalidation: .unregistered(since: nil))
        let bench = try Bench(ScriptedTransport { _ in .rejected(gone) })
        let body: JSONObject = [
            "fcm_token": .string(Self.address), "relay": Self.secrets, "apns_environment": "sandbox",
        ]
        #expect(try await register(bench, body).status == .ok)
        let device = try await bench.document(Bench.device("phone"))
        #expect(device?["fcmToken"]?.string == Self.address && device?["transport"] == "relay")
        #expect(device?["platform"] == "ios" && device?["apnsEnvironment"] != "sandbox")
        try await bench.running {
            _ = try await bench.trigger()
            try await eventually("the registration is removed") {
                try await bench.document(Bench.device("phone")) == nil
            }
        }
        #expect(bench.transport.sent.first?.target.address.attributes.secrets.count == 4)
        let again = try await register(bench, body)
        #expect(again.status == .ok && again.body["former_subscription_removed_at"] != nil)
        #expect(try await register(bench, body).body["former_subscription_removed_at"] == nil)
        #expect(!bench.log.lines.contains { $0.contains("0123456789abcdef") || $0.contains("AbCdEfGh") })
    }

    @Test("A phone's address without its secrets, or with others, is refused with the field that is wrong")
    func refused() async throws {
        let bench = try Bench()
        func problem(_ body: JSONObject) async throws -> JSONValue? {
            let answer = try await register(bench, body)
            #expect(answer.status == .badRequest)
            return answer.body["error"]
        }
        let address = JSONValue.string(Self.address)
        #expect(try await problem(["fcm_token": address]) == "fcm_token_invalid")
        #expect(try await problem(["fcm_token": address, "relay": "x"]) == "relay_invalid")
        #expect(try await problem(["fcm_token": address, "relay": [:]]) == "relay_invalid")
        #expect(try await problem(["fcm_token": "relay:a b/c", "relay": Self.secrets]) == "fcm_token_invalid")
        #expect(try await bench.documents().isEmpty)
    }

    @Test("A client that sends a field of this name for a purpose of its own registers its token")
    func otherField() async throws {
        let bench = try Bench()
        #expect(try await register(bench, ["fcm_token": "emulated:a", "relay": true]).status == .ok)
        #expect(try await bench.document(Bench.device("phone"))?["fcmToken"] == "emulated:a")
    }

    @Test("A phone registers its address for runs, and the address unregisters it")
    func runs() async throws {
        let bench = try RunsBench()
        let body: JSONValue = ["token": .string(Self.address), "relay": Self.secrets]
        let answer = try await bench.call(.post, "/api/devices", body)
        #expect(answer.status == .created && answer.body["token"] == .string(Self.address))
        #expect(answer.body["platform"] == "ios")
        expectDevice(try await bench.documents(in: "runDevices"))
        let path = Self.address.replacing(":", with: "%3A").replacing("/", with: "%2F")
        #expect(try await bench.call(.delete, "/api/devices/\(path)").status == .noContent)
    }

    @Test("A phone registers its address for a player's turns, for coding sessions and for human tasks")
    func others() async throws {
        let turns = try TurnsBench()
        let turn = try await turns.bench.call(
            .post, "/register", ["user_id": "7", "device_token": .string(Self.address), "relay": Self.secrets])
        #expect(turn == .json(.ok, ["status": "registered"]))
        expectDevice(try await turns.bench.documents(in: "turnDevices"))

        let sessions = try SessionsBench()
        let session = try await sessions.call(
            .post, "/api/v1/push/register",
            ["platform": "ios", "push_token": .string(Self.address), "relay": Self.secrets])
        #expect(session == .statusOK)
        expectDevice(try await sessions.documents(in: "sessionPhones"))

        let tasks = try HumanTasksBench()
        let phone = try await tasks.makePhone()
        _ = try await tasks.call(
            .post, "/api/devices/\(phone.id)/apns-token", ["token": .string(Self.address), "relay": Self.secrets],
            headers: phone.headers)
        expectDevice(try await tasks.documents(in: "humanTaskTokens"))
    }
}
