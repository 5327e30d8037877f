import Cryptography
import Gateway
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Inbox over HTTP", .timeLimit(.minutes(10)))
struct InboxEndpointTests {
    private static let path = "/emulator/v1/inbox"

    private func fill(_ gateway: RunningGateway) async throws {
        let daemon = Daemon(gateway.caller)
        try await daemon.register("phone", token: "emulated:phone")
        try await daemon.register("tablet", token: "emulated:tablet")
        try await daemon.register("phone", token: "emulated:phone", cwd: "/srv/other")
        try await daemon.trigger(preview: "One.")
        try await daemon.trigger(cwd: "/srv/other", preview: "Two.")
    }

    private func bodies(_ answer: Answer) -> [String] {
        (answer.body["notifications"]?.array ?? []).compactMap { $0["message"]?["notification"]?["body"]?.string }
    }

    @Test("The inbox shows each notification with its registration, an emulated token, or a fingerprint")
    func items() async throws {
        try await withGateway { gateway in
            try await fill(gateway)
            let answer = try await gateway.ask(Self.path)
            #expect(answer.status == 200)
            #expect(bodies(answer).sorted() == ["One.", "One.", "Two."])
            #expect(answer.body["timed_out"] == false)
            let item = try #require(answer.body["notifications"]?.array?.last)
            #expect(item["registration"]?.string?.hasSuffix("/devices/phone") == true)
            #expect(item["token"] == "emulated:phone")
            #expect(item["id"]?.string?.count == 36)
            #expect(item["sequence"] == 3)
            let token = String.randomToken()
            _ = try await Daemon(gateway.caller).register("real", token: token)
            try await fill(gateway)
            let text = try await gateway.ask(Self.path).text
            #expect(!text.contains(token))
        }
    }

    @Test("The inbox is filtered by an emulated token, or by the fingerprint of any token")
    func tokenFilter() async throws {
        try await withGateway { gateway in
            try await fill(gateway)
            let fingerprint = SHA256.hexadecimal(of: "emulated:tablet").prefix(8)
            for token in ["emulated:tablet", "emulated%3Atablet", String(fingerprint)] {
                let answer = try await gateway.ask("\(Self.path)?token=\(token)")
                let tokens = (answer.body["notifications"]?.array ?? []).map { $0["token"]?.string }
                #expect(tokens == ["emulated:tablet"])
            }
            #expect(bodies(try await gateway.ask("\(Self.path)?token=emulated:nobody")) == [])
        }
    }

    @Test("The inbox is filtered by installation, collapse id and sequence number")
    func filters() async throws {
        try await withGateway { gateway in
            try await fill(gateway)
            #expect(bodies(try await gateway.ask("\(Self.path)?installation_id=tablet")) == ["One."])
            let key = SHA256.hexadecimal(of: "/srv/other")
            #expect(bodies(try await gateway.ask("\(Self.path)?collapse_id=\(key)")) == ["Two."])
            #expect(bodies(try await gateway.ask("\(Self.path)?after=2")) == ["Two."])
            #expect(bodies(try await gateway.ask("\(Self.path)?installation_id=nobody")) == [])
        }
    }

    @Test("The inbox waits for the requested number of notifications, or reports a timeout")
    func waiting() async throws {
        try await withGateway { gateway in
            async let waited = gateway.ask("\(Self.path)?wait_for=3&timeout=20")
            try await fill(gateway)
            let answer = try await waited
            #expect(bodies(answer).count == 3)
            #expect(answer.body["timed_out"] == false)
            let short = try await gateway.ask("\(Self.path)?wait_for=4&timeout=0")
            #expect(bodies(short).count == 3)
            #expect(short.body["timed_out"] == true)
        }
    }

    @Test("The inbox is empty after a delete, and its sequence numbers go on")
    func reset() async throws {
        try await withGateway { gateway in
            try await fill(gateway)
            #expect(try await gateway.ask(Self.path, .delete).body == [:])
            #expect(bodies(try await gateway.ask(Self.path)) == [])
            try await fill(gateway)
            #expect(try await gateway.ask(Self.path).body["notifications"]?[0]?["sequence"] == 4)
        }
    }

    @Test(
        "The inbox refuses an invalid parameter with 400",
        arguments: ["wait_for=0", "wait_for=x", "wait_for=10001", "timeout=61", "timeout=-1", "after=-1", "after="])
    func invalid(query: String) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask("\(Self.path)?\(query)")
            #expect(answer.status == 400)
            #expect(answer.body["error"]?["status"] == "INVALID_ARGUMENT")
        }
    }
}
