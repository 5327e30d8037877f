import Cryptography
import Gateway
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Messages sent to an emulator", .timeLimit(.minutes(10)))
struct SentMessagesTests {
    private static let path = "/emulator/v1/messages"

    private func messages(_ query: String, _ gateway: RunningGateway) async throws -> [JSONValue] {
        try await gateway.ask(Self.path + query).body["messages"]?.array ?? []
    }

    @Test("Every sent message is listed with its answer and without tokens, even if it reached no device")
    func list() async throws {
        try await withGateway { gateway in
            let activity = String.randomToken()
            _ = try await gateway.script(["errorCode": "UNAVAILABLE", "token": "phone", "times": 1])
            for message: JSONValue in [
                ["token": "phone"], ["topic": "news", "data": ["a": "b"]], ["condition": "'x' in topics"],
                ["token": "phone", "apns": ["liveActivityToken": .string(activity)]],
                ["token": "phone", "notification": ["title": 1]],
            ] { _ = try await gateway.sendMessage(message) }
            _ = try await gateway.sendMessage(["token": "phone"], isDryRun: true)
            let answer = try await gateway.ask(Self.path)
            let messages = answer.body["messages"]?.array ?? []
            #expect(messages.map { $0["sequence"] } == [1, 2, 3, 4])
            let phone = JSONValue.string("token#" + SHA256.hexadecimal(of: "phone").prefix(8))
            #expect(messages.map { $0["token"] } == [phone, nil, nil, phone])
            #expect(messages.map { $0["topic"] } == [nil, "news", nil, nil])
            #expect(messages.map { $0["condition"] } == [nil, nil, "'x' in topics", nil])
            #expect(messages.map { $0["error"] } == ["UNAVAILABLE", nil, nil, nil])
            #expect(messages.map { $0["id"] == nil } == [true, false, false, false])
            #expect(messages.first?["message"] == [:] && messages[1]["message"] == ["data": ["a": "b"]])
            #expect(messages.allSatisfy { $0["sent_at"]?.string?.hasSuffix("Z") == true })
            #expect(!answer.text.contains(activity) && !answer.text.contains("\"phone\""))
        }
    }

    @Test("Sent messages can be filtered, waited for and deleted")
    func filters() async throws {
        try await withGateway { gateway in
            let targets: [JSONValue] = [
                ["token": "a"], ["topic": "news"], ["condition": "'news' in topics || 'x' in topics"],
                ["fid": "cAAAAAAAAAAAAAAAAAAAAA"],
            ]
            for target in targets { _ = try await gateway.sendMessage(target) }
            let tokens = ["a", "cAAAAAAAAAAAAAAAAAAAAA"].map { "?token=" + SHA256.hexadecimal(of: $0).prefix(8) }
            var found: [[JSONValue?]] = []
            for query in tokens + ["?topic=news", "?after=3", "?after=1&limit=2", "?topic=none"] {
                found.append(try await messages(query, gateway).map { $0["sequence"] })
            }
            #expect(found == [[1], [4], [2, 3], [4], [2, 3], []])
            async let waited = gateway.ask(Self.path + "?after=4&wait_for=1&timeout=20")
            _ = try await gateway.sendMessage(["token": "a"])
            #expect(try await waited.body["messages"]?.array?.count == 1)
            #expect(try await gateway.ask(Self.path + "?wait_for=9&timeout=0").body["timed_out"] == true)
            #expect(try await gateway.ask(Self.path, .delete).body == [:])
            #expect(try await messages("", gateway) == [])
        }
    }

    @Test("The list of sent messages needs the admin token, and refuses an invalid query")
    func refused() async throws {
        try await withGateway { gateway in
            let stranger = try await gateway.fcm(.get, Self.path)
            #expect(stranger.status == 401)
            for query in ["?limit=0", "?limit=10001", "?after=x", "?wait_for=0", "?timeout=61"] {
                #expect(try await gateway.ask(Self.path + query).status == 400)
            }
        }
    }

    @Test("A gateway that delivers keeps no list of sent messages")
    func production() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                #expect(try await gateway.sendMessage(["token": "emulated:a"], bearer: bearer).status == 200)
                #expect(try await messages("", gateway) == [])
            }
        }
    }
}
