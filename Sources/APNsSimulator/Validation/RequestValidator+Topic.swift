extension RequestValidator {
    /// A topic is a bundle id (letters, digits, hyphens, periods), with the suffix its push type asks for.
    func checkTopic(_ topic: String, for pushType: PushType, deviceToken: String?) throws(Refusal) {
        guard !topic.isEmpty, topic.utf8.allSatisfy(Self.isBundleIDCharacter) else {
            throw Refusal(
                .badTopic,
                "apns-topic is \(topic.excerpt); it takes a bundle id of letters, digits, hyphens and periods")
        }
        guard let bundleID = pushType.bundleID(ofTopic: topic) else {
            throw Refusal(
                .badTopic,
                "apns-topic is \(topic.excerpt); with push type \(pushType.rawValue) it ends with "
                    + (pushType.topicSuffix ?? ""))
        }
        if let topics = rules.topics, !topics.contains(String(bundleID)) {
            throw Refusal(.topicDisallowed, "apns-topic is \(topic.excerpt), which is none of the known apps")
        }
        if let owner = deviceToken.flatMap({ rules.topicsByDeviceToken[$0] }), owner != bundleID {
            throw Refusal(
                .deviceTokenNotForTopic, "apns-topic is \(topic.excerpt), and the device token is of \(owner.excerpt)")
        }
    }

    private static func isBundleIDCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
