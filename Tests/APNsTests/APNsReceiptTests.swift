import JSON
import Messaging
import Testing

@testable import APNs

@Suite("The address for receipts in the APNs payload")
struct APNsReceiptTests {
    private static let address = "https://push.example.com/v1/receipts/m1.c2lnbmF0dXJl"

    private func outgoing(_ message: Message, address: String? = Self.address) -> OutgoingMessage {
        var outgoing = OutgoingMessage(message: message, lane: Lane(transport: .apns), expiration: 0, id: "m1")
        outgoing.receiptAddress = address
        return outgoing
    }

    private func json(_ message: Message) throws -> JSONValue {
        let payload = try #require(APNsPayload(withReceiptOf: outgoing(message)))
        return try JSONValue(parsing: payload.bytes)
    }

    @Test("An alert has the address, and starts the app's extension")
    func alert() throws {
        let json = try json(Message(notification: Message.Notification(title: "T", body: "B"), data: ["k": "v"]))
        #expect(json["pushgate_receipt"] == .string(Self.address) && json["k"] == "v")
        #expect(json["aps"]?["mutable-content"] == 1 && json["aps"]?["alert"]?["title"] == "T")
        #expect(json["gcm.message_id"] == "m1")
    }

    @Test("A message in the background has the address alone, because it starts the app itself")
    func background() throws {
        let json = try json(Message(apns: Message.APNsConfiguration(payload: ["aps": ["content-available": 1]])))
        #expect(json["pushgate_receipt"] == .string(Self.address))
        #expect(json["aps"] == ["content-available": 1])
    }

    @Test("The payload of all other apps is the same with the address and without it")
    func others() throws {
        let message = Message(notification: Message.Notification(title: "T", body: "B"), data: ["k": "v"])
        let without = try #require(APNsPayload(of: outgoing(message, address: nil)))
        #expect(APNsPayload(of: outgoing(message)) == without)
        #expect(APNsPayload(withReceiptOf: outgoing(message, address: nil)) == nil)
    }

    @Test("The body is cut for the address, and a payload without a body that has no room for it goes without")
    func room() throws {
        let long = Message(notification: Message.Notification(body: String(repeating: "b", count: 5_000)))
        let payload = try #require(APNsPayload(withReceiptOf: outgoing(long)))
        #expect((4_094...4_096).contains(payload.bytes.count))
        let data = Message(data: ["k": String(repeating: "v", count: 4_040)])
        #expect(APNsPayload(of: outgoing(data)) != nil && APNsPayload(withReceiptOf: outgoing(data)) == nil)
    }
}
