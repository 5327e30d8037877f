import JSON
import Messaging
import Testing

@testable import APNs

@Suite("A message as APNs header fields")
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

    @Test("APNs headers always contain topic, push type, priority and expiration")
    func defaults() {
        #expect(
            headers(.init(), notification: .init(title: "T")) == [
                "apns-topic": "com.example.app", "apns-push-type": "alert", "apns-priority": "10",
                "apns-expiration": "1800",
            ])
    }

    @Test("The message's own APNs headers replace the defaults, in any letter case")
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

    @Test("APNs headers contain each field once, in whatever letter case the message writes the name")
    func once() {
        let own = ["APNS-Topic": "com.example.app", "apns-topic": "com.example.app", "Apns-Topic": "com.example.app"]
        #expect(headers(.init(headers: own)).count == 4)
        let wake = headers(.init(headers: ["Apns-Priority": "10"], payload: ["aps": ["content-available": 1]]))
        #expect(wake["apns-priority"] == "5" && wake.count == 4)
    }

    @Test("APNs headers leave out the message's apns-id and authorization, because each request has its own")
    func ofEachRequest() {
        let own = [
            "Apns-Id": "11111111-1111-4111-8111-111111111111", "Authorization": "bearer x", "apns-collapse-id": "c",
        ]
        let names = Set(headers(.init(headers: own)).keys)
        #expect(names == ["apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"])
    }

    @Test("The APNs topic is the bundle id plus the push type's suffix, even if the bundle id ends with it")
    func suffix() {
        let voip = Message.APNsConfiguration(headers: ["apns-push-type": "voip"])
        #expect(headers(voip)["apns-topic"] == "com.example.app.voip")
        #expect(headers(voip, topic: "com.example.voip")["apns-topic"] == "com.example.voip.voip")
        #expect(headers(.init(), topic: "com.example.voip")["apns-topic"] == "com.example.voip")
        let topic = "com.example.app.voip"
        #expect(headers(voip, topic: topic, bundleID: "com.example.app")["apns-topic"] == topic)
        #expect(headers(.init(), topic: topic, bundleID: "com.example.app")["apns-topic"] == topic)
    }

    @Test("FCM's schema allows each of Apple's push types, and the error about another one names them all")
    func pushTypes() throws {
        func request(_ pushType: String) throws(InvalidRequest) -> SendRequest {
            try SendRequest(
                json: ["message": ["token": "t", "apns": ["headers": ["apns-push-type": .string(pushType)]]]])
        }
        for type in APNsPushType.allCases {
            #expect(try request(type.rawValue).message.apns?.header("apns-push-type") == type.rawValue)
        }
        let names = APNsPushType.allCases.map(\.rawValue).joined(separator: ", ")
        let error = try #require(throws: InvalidRequest.self) { try request("other") }
        #expect(error.message == "Invalid APNs header 'apns-push-type': must be one of \(names)")
    }

    @Test("A payload that only wakes the app is a background push with priority 5")
    func background() {
        let wake = headers(.init(payload: ["aps": ["content-available": 1]]))
        #expect(wake["apns-push-type"] == "background" && wake["apns-priority"] == "5")
        for blank in ["", nil, [:], ["title": "", "body": nil], ["loc-args": []]] as [JSONValue] {
            for key in ["alert", "sound"] {
                let unseen = headers(.init(payload: ["aps": ["content-available": 1, key: blank]]))
                #expect(unseen["apns-push-type"] == "background" && unseen["apns-priority"] == "5")
            }
            // Without content-available there is nothing to wake.
            let still = headers(.init(payload: ["aps": ["alert": blank]]))
            #expect(still["apns-push-type"] == "alert" && still["apns-priority"] == "10")
        }
        for key in ["alert", "sound", "badge"] {
            let seen = headers(.init(payload: ["aps": ["content-available": 1, key: "x"]]))
            #expect(seen["apns-push-type"] == "alert" && seen["apns-priority"] == "10")
        }
        let titled = headers(.init(payload: ["aps": ["content-available": 1]]), notification: .init(title: "T"))
        #expect(titled["apns-push-type"] == "alert")
    }
}
