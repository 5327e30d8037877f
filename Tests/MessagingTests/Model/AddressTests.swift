import Messaging
import Testing

@Suite("Addresses")
struct AddressTests {
    @Test(
        "The form of a token gives its transport",
        arguments: [
            (String(repeating: "ab", count: 32), TransportName.apns),
            (String(repeating: "AB", count: 32), .apns),
            (String(repeating: "0", count: 32), .apns),
            (String(repeating: "0", count: 160), .apns),
            (String(repeating: "0", count: 30), .fcm),
            (String(repeating: "0", count: 33), .fcm),
            (String(repeating: "0", count: 65), .fcm),
            (String(repeating: "0", count: 63) + "g", .fcm),
            (String(repeating: "٣", count: 64), .fcm),
            ("fMEqKB_-0:APA91bF" + String(repeating: "x", count: 120), .fcm),
            ("emulated:", .emulated), ("emulated:phone", .emulated), ("Emulated:phone", .fcm), ("", .fcm),
        ])
    func transport(token: String, expected: TransportName) {
        #expect(Address(token: token).lane.transport == expected)
    }

    @Test("Each topic and each environment has its own lane")
    func lanes() {
        let token = String(repeating: "0", count: 64)
        let lanes = [
            Address(token: token), Address(token: token, topic: "a"), Address(token: token, topic: "b"),
            Address(token: token, topic: "a", environment: .sandbox),
            Address(token: token, topic: "a", environment: .production), Address(token: "emulated:1", topic: "a"),
        ].map(\.lane)
        #expect(Set(lanes).count == lanes.count)
        #expect(Address(token: String(repeating: "1", count: 64), topic: "a").lane == lanes[1])
    }
}
