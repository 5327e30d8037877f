import DocumentStore
import Gateway
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Receipts of a gateway", .timeLimit(.minutes(10)))
struct ReceiptLifeTests {
    private static let path = "/v1/receipts"
    private static let settings = ["http.publicUrl": "https://push.example.com"]

    /// Triggers a notification, and returns its delivery's id and the items of the inbox by registration.
    private func trigger(
        _ gateway: RunningGateway, _ daemon: Daemon
    ) async throws -> (id: String, items: [String: JSONValue]) {
        try await daemon.trigger(preview: "Done.")
        let id = try #require(try await gateway.ask("/v1/deliveries").body["deliveries"]?[0]?["id"]?.string)
        _ = try await gateway.settledDelivery(id)
        let items = try await gateway.ask("/emulator/v1/inbox").body["notifications"]?.array ?? []
        let pairs = items.map { item in
            (item["registration"]?.string?.split(separator: "/").last.map(String.init) ?? "", item)
        }
        return (id, Dictionary(pairs) { $1 })
    }

    private func post(_ gateway: RunningGateway, _ body: JSONValue) async throws -> Int {
        try await gateway.caller.send(.post, Self.path, body: body.serialized).status
    }

    private func signedID(_ item: JSONValue?) throws -> JSONValue {
        let address = try #require(item?["receipt"]?.string)
        #expect(address.hasPrefix("https://push.example.com/v1/receipts/"))
        return .string(String(address.split(separator: "/").last ?? ""))
    }

    @Test("A device that asks gets the address, and its receipts are counted at the delivery, once of each kind")
    func life() async throws {
        try await withGateway(Self.settings) { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("asking", token: "emulated:asking", ["receipts": true])
            try await daemon.register("other", token: "emulated:other")
            let (id, items) = try await trigger(gateway, daemon)
            #expect(items.count == 2 && items["other"]?["receipt"] == nil)
            #expect(items["asking"]?["message"] == items["other"]?["message"])
            let signed = try signedID(items["asking"])
            #expect(try await gateway.ask("/v1/deliveries/\(id)").body["receipts"] == nil)
            for kind in ["delivered", "delivered", "opened"] {
                let receipt: JSONValue = ["id": signed, "kind": .string(kind), "device": "d1"]
                #expect(try await post(gateway, ["receipts": [receipt]]) == 204)
            }
            let delivery = try await gateway.ask("/v1/deliveries/\(id)").body
            #expect(delivery["receipts"] == ["delivered": 1, "opened": 1])
        }
    }

    private func receipt(_ signed: JSONValue, _ kind: String, _ device: String) -> JSONValue {
        ["id": signed, "kind": .string(kind), "device": .string(device)]
    }

    @Test("A webhook gets the numbers of the devices that had not reported the message before, and no repetition")
    func webhook() async throws {
        try await withWebhookReceiver { receiver in
            let webhook = ["webhooks.urls": "\(receiver.url)/", "webhooks.events": "notifications.receipts"]
            try await withGateway(Self.settings.merging(webhook) { $1 }) { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("asking", token: "emulated:asking", ["receipts": true])
                let (id, items) = try await trigger(gateway, daemon)
                let signed = try signedID(items["asking"])
                let first: [JSONValue] = [receipt(signed, "delivered", "a"), receipt(signed, "opened", "b")]
                for receipts in [first, first, [receipt(signed, "opened", "a")]] {
                    #expect(try await post(gateway, ["receipts": .array(receipts)]) == 204)
                }
                try await eventually("both events arrive") { receiver.received.count >= 2 }
                let events = try receiver.received.map { try JSONValue(parsing: $0.body) }
                #expect(events.count == 2)
                for (event, counts) in zip(events, [(2, 1), (0, 1)] as [(Int64, Int64)]) {
                    #expect(event["type"] == "notifications.receipts")
                    #expect(event["timestamp"]?.string?.hasSuffix("Z") == true)
                    let data: JSONValue = [
                        "message": .string(id), "source": "codeagents", "delivered": .integer(counts.0),
                        "opened": .integer(counts.1),
                    ]
                    #expect(event["data"] == data)
                }
            }
        }
    }

    @Test("The message's page in the console has the numbers once a device has reported it")
    func console() async throws {
        try await withGateway(Self.settings) { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("asking", token: "emulated:asking", ["receipts": true])
            let (id, items) = try await trigger(gateway, daemon)
            let signed = try signedID(items["asking"])
            let user = try await ConsoleUser(gateway)
            #expect(try await !user.get("/console/messages/\(id)").text.contains("<dt>Receipts</dt>"))
            for (kind, device, text) in [
                ("delivered", "a", "arrived on 1 device, as apps report it"),
                ("opened", "b", "arrived on 2 devices, opened on 1, as apps report it"),
            ] {
                #expect(try await post(gateway, ["receipts": [receipt(signed, kind, device)]]) == 204)
                let page = try await user.get("/console/messages/\(id)").text
                #expect(page.contains("<dt>Receipts</dt><dd>\(text)</dd>"), "\(kind)")
            }
        }
    }

    @Test(
        "The answer is 204 whatever the body, and nothing is stored for it",
        arguments: [
            "", "[]", "{", #"{"receipts":1}"#, #"{"receipts":[{"id":"x.y","kind":"delivered"}]}"#,
            #"{"receipts":[{"id":7,"kind":"read"}]}"#, String(repeating: "x", count: 100_000),
        ])
    func invalid(body: String) async throws {
        try await withGateway(Self.settings) { gateway in
            let answer = try await gateway.caller.send(.post, Self.path, body: Array(body.utf8))
            #expect(answer.status == 204 && answer.text.isEmpty)
            #expect(try await gateway.gateway.store.count(.collection(CollectionPath("receipts"))) == 0)
        }
    }

    @Test("An address that sends too many has further ones left out, and is answered 204")
    func limit() async throws {
        let settings = Self.settings.merging(["receipts.perMinutePerAddress": "1"]) { $1 }
        try await withGateway(settings) { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("asking", token: "emulated:asking", ["receipts": true])
            let (id, items) = try await trigger(gateway, daemon)
            let signed = try signedID(items["asking"])
            // A new minute may begin once meanwhile, so two of the four are left out at least.
            for device in ["a", "b", "c", "d"] {
                let receipt: JSONValue = ["id": signed, "kind": "delivered", "device": .string(device)]
                #expect(try await post(gateway, ["receipts": [receipt]]) == 204)
            }
            let count = try await gateway.ask("/v1/deliveries/\(id)").body["receipts"]?["delivered"]?.integer
            #expect((1...2).contains(count ?? 0))
        }
    }

    @Test("A gateway that does not know its address gives none to devices that ask")
    func withoutAddress() async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("asking", token: "emulated:asking", ["receipts": true])
            let (_, items) = try await trigger(gateway, daemon)
            #expect(items.count == 1 && items["asking"]?["receipt"] == nil)
            #expect(try await post(gateway, ["receipts": []]) == 204)
        }
    }
}
