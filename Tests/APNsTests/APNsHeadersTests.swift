import JSON
import Messaging
import Testing

@testable import APNs

@Suite("A message as APNs' header fields")
struct APNsHeadersTests {
    private func headers(
        _ apns: Message.APNsConfiguration, notification: Message.Notification? = nil,
        topic: String = "com.example.app", bundleID: String? = nil
    ) -> [String: String] {
        let message = OutgoingMessage(
            message: Message(notification: notification, apns: apns), lane: Lane(transport: .apns), expiration: 1_800)
        let pairs = APNsHeaders.common(for: message, topic: topic, bundleID: bundleID ?? topic).map {
            ($0.name, $0.value)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    @Test("always has topic, push type, priority and expiration")
    func defaults() {
        #expect(
            headers(.init(), notification: .init(title: "T")) == [
                "apns-topic": "com.example.app", "apns-push-type": "alert", "apns-priority": "10",
                "apns-expiration": "1800",
            ])
    }

    @Test("lets the message's own win, in whatever case they are written")
    func ownWin() {
        let own = [
            "APNS-Priority": "5", "apns-collapse-id": "c", "apns-expiration": "0", "apns-topic": "com.example.voip",
        ]
        #expect(
            headers(.init(headers: own)) == [
                "apns-topic": "com.example.voip", "apns-push-type": "alert", "apns-priority": "5",
                "apns-expiration": "0", "apns-collapse-id": "c",
            ])
    }

    @Test("has each field once, in whatever cases the message writes its name")
    func once() {
        let own = ["APNS-Topic": "com.example.app", "apns-topic": "com.example.app", "Apns-Topic": "com.example.app"]
        #expect(headers(.init(headers: own)).count == 4)
        let wake = headers(.init(headers: ["Apns-Priority": "10"], payload: ["aps": ["content-available": 1]]))
        #expect(wake["apns-priority"] == "5" && wake.count == 4)
    }

    @Test("has nothing of what each request has for itself: two provider tokens or ids in one would be refused")
    func ofEachRequest() {
        let own = [
            "Apns-Id": "11111111-1111-4111-8111-111111111111", "Authorization": "bearer x", "apns-collapse-id": "c",
        ]
        let names = Set(headers(.init(headers: own)).keys)
        #expect(names == ["apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"])
    }

    @Test("has the push type's suffix after the bundle id, also after one that ends like it")
    func suffix() {
        let voip = Message.APNsConfiguration(headers: ["apns-push-type": "voip"])
        #expect(headers(voip)["apns-topic"] == "com.example.app.voip")
        #expect(headers(voip, topic: "com.example.voip")["apns-topic"] == "com.example.voip.voip")
        #expect(headers(.init(), topic: "com.example.voip")["apns-topic"] == "com.example.voip")
        let topic = "com.example.app.voip"
        #expect(headers(voip, topic: topic, bundleID: "com.example.app")["apns-topic"] == topic)
        #expect(headers(.init(), topic: topic, bundleID: "com.example.app")["apns-topic"] == topic)
    }

    @Test("is a background push, at priority 5, when the payload only wakes the app")
    func background() {
        let wake = headers(.init(payload: ["aps": ["content-available": 1]]))
        #expect(wake["apns-push-type"] == "background" && wake["apns-priority"] == "5")
        for key in ["alert", "sound", "badge"] {
            let seen = headers(.init(payload: ["aps": ["content-available": 1, key: "x"]]))
            #expect(seen["apns-push-type"] == "alert" && seen["apns-priority"] == "10")
        }
        let titled = headers(.init(payload: ["aps": ["content-available": 1]]), notification: .init(title: "T"))
        #expect(titled["apns-push-type"] == "alert")
    }
}
