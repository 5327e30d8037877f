import Messaging
import TestDoubles
import Testing

@Suite("Push addresses")
struct PushAddressTests {
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
        #expect(PushAddress(token: token).transport == expected)
    }

    @Test("Each topic and each environment has its own lane")
    func lanes() {
        let token = String(repeating: "0", count: 64)
        let lanes = [
            PushAddress(token: token), PushAddress(token: token, app: AppIdentity(bundleID: "a")),
            PushAddress(token: token, app: AppIdentity(bundleID: "b")),
            PushAddress(token: token, app: AppIdentity(bundleID: "a", environment: "sandbox")),
            PushAddress(token: token, app: AppIdentity(bundleID: "a", environment: "production")),
            PushAddress(token: "emulated:1", app: AppIdentity(bundleID: "a")),
        ].map(\.lane)
        #expect(Set(lanes).count == lanes.count)
        #expect(PushAddress(token: String(repeating: "1", count: 64), app: AppIdentity(bundleID: "a")).lane == lanes[1])
    }
}
