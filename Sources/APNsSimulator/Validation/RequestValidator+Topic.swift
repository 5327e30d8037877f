extension RequestValidator {
    /// A topic is a bundle id (letters, digits, hyphens, periods), with the suffix its push type asks for.
    func checkTopic(_ topic: String, for pushType: PushType, deviceToken: String?) throws(Rejection) {
        guard !topic.isEmpty, topic.utf8.allSatisfy(Self.isBundleIDCharacter),
            let bundleID = pushType.bundleID(ofTopic: topic)
        else { throw .badTopic }
        if let topics = rules.topics, !topics.contains(String(bundleID)) { throw .topicDisallowed }
        if let owner = deviceToken.flatMap({ rules.topicsByDeviceToken[$0] }), owner != bundleID {
            throw .deviceTokenNotForTopic
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
