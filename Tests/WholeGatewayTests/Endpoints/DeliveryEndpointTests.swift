import Gateway
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Deliveries over HTTP", .timeLimit(.minutes(10)))
struct DeliveryEndpointTests {
    private static let path = "/v1/deliveries"

    @Test("Deliveries are listed with their counts, newest first, page by page")
    func list() async throws {
        try await withGateway { gateway in
            #expect(try await gateway.ask(Self.path).body == ["deliveries": []])
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            try await daemon.register("tablet", token: "emulated:tablet")
            for number in 0..<3 { try await daemon.trigger(preview: "Run \(number)") }
            let all = try await settled(in: gateway)
            #expect(all.map { $0["accepted"] } == [2, 2, 2])
            #expect(all.allSatisfy { $0["targets"] == 2 && $0["pending"] == 0 && $0["rejected"] == [:] })
            #expect(all.allSatisfy { $0["notifications"] == nil && $0["source"] == "codeagents" })
            let times = all.compactMap { $0["accepted_at"]?.string }
            #expect(times == times.sorted(by: >))
            let first = try await gateway.ask("\(Self.path)?limit=1").body["deliveries"]?.array ?? []
            #expect(first.map { $0["id"] } == [all[0]["id"]])
            let rest = try await gateway.ask("\(Self.path)?before=\(times[0])").body["deliveries"]?.array ?? []
            #expect(rest.map { $0["id"] } == [all[1]["id"], all[2]["id"]])
        }
    }

    @Test("A delivery shows each notification's registration, state and time, without its token")
    func detail() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            try await daemon.trigger(preview: "Done.")
            let id = try #require(try await settled(in: gateway).first?["id"]?.string)
            let answer = try await gateway.ask("\(Self.path)/\(id)")
            let notification = try #require(answer.body["notifications"]?.array?.first)
            #expect(notification["state"] == "accepted")
            #expect(notification["registration"]?.string?.hasSuffix("/devices/phone") == true)
            #expect(notification["transport"] == "emulated")
            #expect(notification["settled_at"]?.string != nil)
            let inbox = try await gateway.ask("/emulator/v1/inbox").body["notifications"]?.array?.first
            #expect(notification["apns_id"] == inbox?["id"])
            #expect(!answer.text.contains("emulated:"))
        }
    }

    @Test(
        "A delivery that does not exist answers 404, and an invalid parameter 400",
        arguments: [
            ("/none", 404), ("?limit=0", 400), ("?limit=201", 400), ("?before=yesterday", 400),
            ("/none?page=-1", 400), ("/none?page=1", 404),
        ])
    func errors(suffix: String, status: Int) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(Self.path + suffix)
            #expect(answer.status == status)
            #expect(answer.body["error"]?["message"]?.string?.isEmpty == false)
        }
    }

    /// Returns the deliveries once their outcomes are stored. A trigger's answer does not wait for that.
    private func settled(in gateway: RunningGateway) async throws -> [JSONValue] {
        var deliveries: [JSONValue] = []
        try await eventually("all deliveries are settled") {
            deliveries = try await gateway.ask(Self.path).body["deliveries"]?.array ?? []
            return deliveries.allSatisfy { $0["pending"] == 0 }
        }
        return deliveries
    }
}
