@testable import WebPushService

extension PushMessage {
    /// Returns a message, with defaults for everything that a test does not set.
    static func sample(
        _ id: String, token: String = "t1", topic: String? = nil, urgency: Urgency = .normal, timeToLive: Int64 = 60,
        acceptedAt: Int64 = 0
    ) -> PushMessage {
        PushMessage(
            id: id, token: token, topic: topic, urgency: urgency, encoding: "aes128gcm", body: [1, 2, 3],
            timeToLive: timeToLive, acceptedAt: acceptedAt)
    }
}

extension SubscriptionRecord {
    /// Returns a subscription of the browser `b1`.
    static func sample(
        _ token: String = "t1", channel: String = "c1", key: String? = "BKey", browserID: String? = "b1"
    ) -> SubscriptionRecord {
        SubscriptionRecord(
            token: token, service: .mozilla, browserID: browserID,
            channel: browserID == nil ? nil : PageChannel(id: channel),
            applicationServerKey: key, maximumBody: 4_096)
    }
}

extension ReceivedMessage {
    /// Returns a message of the history, accepted if it has an id.
    static func sample(
        _ id: String? = nil, token: String? = "t1", headers: [(name: String, value: String)] = [],
        body: [UInt8] = [1, 2, 3], rejection: PushRejection? = nil
    ) -> ReceivedMessage {
        ReceivedMessage(
            connection: 1, receivedAt: 1_800_000_000_000, service: .mozilla, token: token, messageID: id,
            headers: headers,
            claims: VAPIDClaims(
                audience: "https://push.example.net", expiration: 1_800_003_600, subject: "mailto:a@example.com",
                publicKey: "BKey"), body: body, status: rejection?.status ?? 201, reason: rejection?.reason,
            cause: rejection == nil ? nil : "a cause", deviations: [], delivery: id == nil ? nil : .waiting)
    }
}
