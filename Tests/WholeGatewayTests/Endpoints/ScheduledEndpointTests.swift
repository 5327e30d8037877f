import Foundation
import Gateway
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Scheduled messages over HTTP", .timeLimit(.minutes(10)))
struct ScheduledEndpointTests {
    private static let path = "/v1/deliveries"

    private func message(_ more: JSONObject) -> JSONValue {
        var body: JSONObject = ["to": "emulated:phone", "title": "Hello"]
        for member in more.members { body[member.name] = member.value }
        return .object(body)
    }

    private func schedule(_ more: JSONObject, at gateway: RunningGateway) async throws -> String {
        let answer = try await gateway.ask(Self.path, .post, message(more))
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(answer.body["id"]?.string)
    }

    @Test("A message is shown while it waits, is sent when it is due, and is found by its id then")
    func due() async throws {
        try await withGateway { gateway in
            let late = try await schedule(["deliver_in": "1h"], at: gateway)
            let soon = try await schedule(["deliver_in": "200ms"], at: gateway)
            let waiting = try await gateway.ask("\(Self.path)/\(late)").body
            #expect(waiting["state"] == "scheduled" && waiting["title"] == "Hello" && waiting["targets"] == 1)
            #expect(waiting["deliver_at"]?.string != nil && waiting["notifications"] == nil)
            var sent = JSONValue.null
            try await eventually("it is sent") {
                sent = try await gateway.ask("\(Self.path)/\(soon)").body
                return sent["accepted"] == 1
            }
            #expect(sent["scheduled_id"] == .string(soon) && sent["id"] != .string(soon))
            let list = try await gateway.ask("/v1/scheduled").body["scheduled"]?.array ?? []
            #expect(list.map { $0["id"] } == [.string(late)])
            #expect(try await gateway.ask("/emulator/v1/inbox").body["notifications"]?.array?.count == 1)
        }
    }

    @Test("A scheduled message can be cancelled once, and one that was sent cannot")
    func cancel() async throws {
        try await withGateway { gateway in
            let late = try await schedule(["deliver_in": "2d"], at: gateway)
            let cancelled = try await gateway.ask("\(Self.path)/\(late)", .delete)
            #expect(cancelled.status == 200 && cancelled.body["state"] == "cancelled")
            #expect(try await gateway.ask("\(Self.path)/\(late)", .delete).status == 404)
            #expect(try await gateway.ask("\(Self.path)/\(late)").status == 404)
            #expect(try await gateway.ask("/v1/scheduled").body["scheduled"] == [])
            let now = try await schedule([:], at: gateway)
            let refused = try await gateway.ask("\(Self.path)/\(now)", .delete)
            #expect(refused.status == 409 && refused.body["error"]?["status"] == "FAILED_PRECONDITION")
        }
    }

    @Test("A page of the list continues after a message, also with those that are due at its time")
    func pages() async throws {
        try await withGateway { gateway in
            var ids = [try await schedule(["deliver_in": "1h"], at: gateway)]
            let time = try #require(try await gateway.ask("\(Self.path)/\(ids[0])").body["deliver_at"]?.string)
            ids.append(try await schedule(["deliver_at": .string(time)], at: gateway))
            ids.sort()
            func page(_ query: String) async throws -> [JSONValue?] {
                try await gateway.ask("/v1/scheduled?\(query)").body["scheduled"]?.array?.map { $0["id"] } ?? []
            }
            #expect(try await page("limit=1") == [.string(ids[0])])
            #expect(try await page("limit=1&after=\(time)&after_id=\(ids[0])") == [.string(ids[1])])
            #expect(try await page("after=\(time)&after_id=\(ids[1])") == [])
            #expect(try await page("after=\(time)") == [])
            #expect(try await gateway.ask("/v1/scheduled?after_id=\(ids[0])").status == 400)
        }
    }

    @Test("A scheduled message survives a restart, and its time may come while the gateway is down")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            var id = ""
            try await withGateway([:], in: directory + "/data") { gateway in
                id = try await schedule(["deliver_in": "300ms"], at: gateway)
            }
            // A process holds its data directory as long as it lives, so the second gateway gets a copy.
            try FileManager.default.copyItem(atPath: directory + "/data", toPath: directory + "/data-restored")
            try await withGateway([:], in: directory + "/data-restored") { gateway in
                try await eventually("it is sent") {
                    try await gateway.ask("\(Self.path)/\(id)").body["accepted"] == 1
                }
            }
        }
    }

    @Test(
        "A time that has passed, is too far, or is none is refused",
        arguments: [
            ["deliver_at": "2020-01-01T00:00:00Z"], ["deliver_at": "2199-01-01T00:00:00Z"],
            ["deliver_at": "tomorrow"], ["deliver_in": "soon"], ["deliver_in": "0s"], ["deliver_in": "-5m"],
            ["deliver_in": "9000d"], ["deliver_in": 5], ["deliver_in": "5m", "deliver_at": "2100-01-01T00:00:00Z"],
        ] as [JSONObject])
    func invalid(time: JSONObject) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(Self.path, .post, message(time))
            #expect(answer.status == 400 && answer.text.contains("deliver_"))
            #expect(try await gateway.ask("/v1/scheduled").body["scheduled"] == [])
        }
    }

    @Test("The feed has one line of JSON for each message, and refuses invalid parameters")
    func feed() async throws {
        try await withGateway { gateway in
            let empty = try await gateway.ask("\(Self.path)?since=")
            #expect(empty.status == 200 && empty.bytes.isEmpty)
            #expect(empty.headerFields[.contentType] == "application/x-ndjson")
            for query in ["since=&limit=0", "since=&limit=201", "since=&wait=31", "since=&wait=x"] {
                #expect(try await gateway.ask("\(Self.path)?\(query)").status == 400)
            }
        }
    }
}
