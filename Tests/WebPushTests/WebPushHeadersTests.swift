import JSON
import Messaging
import Testing

@testable import WebPush

@Suite("Header fields of a message")
struct WebPushHeadersTests {
    private static let now: Int64 = 1_000_000

    private func headers(_ message: Message, lifetime: Int64 = 3_600) -> WebPushHeaders {
        WebPushHeaders(
            of: OutgoingMessage(
                message: message, lane: Lane(transport: .webPush), expiration: Self.now + lifetime),
            now: Self.now)
    }

    private func apns(_ headers: [String: String]) -> Message {
        Message(apns: Message.APNsConfiguration(headers: headers))
    }

    private func webPush(_ headers: JSONObject) -> Message { Message(webpush: ["headers": .object(headers)]) }

    @Test("The TTL is the rest of the message's lifetime, and not negative")
    func ttl() {
        #expect(headers(Message()).ttl == 3_600)
        #expect(headers(Message(), lifetime: -1).ttl == 0)
        #expect(headers(webPush(["TTL": "60"]), lifetime: 60).ttl == 60)
    }

    @Test("A message for now or never has a TTL of 0, although it is tried for half a minute")
    func nowOrNever() {
        #expect(headers(apns(["apns-expiration": "0"]), lifetime: 30).ttl == 0)
        #expect(headers(webPush(["ttl": "0"]), lifetime: 30).ttl == 0)
        var message = apns(["apns-expiration": "0"])
        message.webpush = ["headers": ["TTL": "60"]]
        #expect(headers(message, lifetime: 30).ttl == 30)
    }

    private static let urgencies: [(Message, String)] = [
        (Message(webpush: ["headers": ["Urgency": "very-low"]]), "very-low"),
        (Message(webpush: ["headers": ["urgency": "HIGH"]]), "high"),
        (Message(apns: Message.APNsConfiguration(headers: ["apns-priority": "10"])), "high"),
        (Message(apns: Message.APNsConfiguration(headers: ["apns-priority": "5"])), "normal"),
        (Message(apns: Message.APNsConfiguration(headers: ["apns-priority": "1"])), "low"),
        (Message(android: ["priority": "HIGH"]), "high"), (Message(android: ["priority": "normal"]), "normal"),
        (Message(notification: Message.Notification(title: "t")), "high"), (Message(data: ["a": "b"]), "normal"),
        (Message(webpush: ["headers": ["Urgency": "at once"]]), "normal"),
    ]

    @Test(
        "The urgency is the message's own, or follows from its priority, or from what it shows", arguments: urgencies)
    func urgency(message: Message, urgency: String) {
        #expect(headers(message).urgency == urgency)
    }

    @Test("The topic is the beginning of a digest of the collapse id")
    func topic() {
        // echo -n agent-1 | sha256sum, in base64url.
        #expect(WebPushHeaders.topic("agent-1") == "b_OzvRHETKxiDEPVtlN3vSun6JUcHoNa")
        #expect(headers(apns(["apns-collapse-id": "agent-1"])).topic == WebPushHeaders.topic("agent-1"))
        #expect(headers(Message(android: ["collapseKey": "agent-1"])).topic == WebPushHeaders.topic("agent-1"))
        #expect(headers(Message()).topic == nil)
    }

    @Test("A message's own topic is sent as it is, if the RFC allows it")
    func ownTopic() {
        #expect(headers(webPush(["Topic": "weather_1-a"])).topic == "weather_1-a")
        #expect(headers(webPush(["Topic": "weather today"])).topic == WebPushHeaders.topic("weather today"))
        let long = String(repeating: "a", count: 33)
        #expect(headers(webPush(["topic": .string(long)])).topic == WebPushHeaders.topic(long))
    }

    @Test("A service gets no longer TTL than it takes", arguments: ServiceProfile.allCases)
    func caps(profile: ServiceProfile) {
        let fields = headers(Message(), lifetime: 365 * 86_400).fields(for: profile)
        let ttl = fields.first { $0.name == "ttl" }?.value
        #expect(ttl == ([.apple, .mozilla].contains(profile) ? "2592000" : "2419200"))
    }

    @Test("Microsoft gets a cache policy that agrees with the TTL, and no other service gets one")
    func cachePolicy() {
        func policy(_ profile: ServiceProfile, lifetime: Int64) -> String? {
            headers(Message(), lifetime: lifetime).fields(for: profile).first { $0.name == "x-wns-cache-policy" }?.value
        }
        #expect(policy(.microsoft, lifetime: 60) == "cache")
        #expect(policy(.microsoft, lifetime: 0) == "no-cache")
        for profile in ServiceProfile.allCases where profile != .microsoft {
            #expect(policy(profile, lifetime: 60) == nil)
        }
    }

    @Test("The fields are those of RFC 8030 and RFC 8291, in lower case")
    func fields() {
        let fields = headers(apns(["apns-collapse-id": "agent-1"])).fields(for: .plain)
        #expect(
            fields.map { "\($0.name): \($0.value)" } == [
                "content-encoding: aes128gcm", "content-type: application/octet-stream", "ttl: 3600",
                "urgency: normal", "topic: b_OzvRHETKxiDEPVtlN3vSun6JUcHoNa",
            ])
    }
}
