import Texts

extension RequestValidator {
    /// The largest collapse id, in bytes.
    public static let longestCollapseID = 64

    /// Checks the header fields for delivery and returns the push type.
    ///
    /// - Parameter topic: The topic, whose suffix implies the push type if `apns-push-type` is missing.
    func checkDelivery(_ headers: RequestHeaders, topic: String) throws(Refusal) -> PushType {
        try Self.checkExpiration(headers.expiration)
        try Self.checkPriority(headers.priority)
        let pushType = try self.pushType(headers.pushType, topic: topic)
        // The default priority is 10, which is not permitted for a background push.
        if pushType == .background, headers.priority != "5" {
            throw Refusal(
                .badPriority,
                "a background push takes apns-priority 5 only, and it is \(headers.priority?.excerpt ?? "missing, which is 10")"
            )
        }
        try Self.checkCollapseID(headers.collapseID)
        return pushType
    }

    /// Checks `apns-expiration`: seconds since 1970 in decimal digits; 0 requests one attempt. A past date is
    /// permitted.
    static func checkExpiration(_ text: String?) throws(Refusal) {
        guard let text else { return }
        guard text.utf8.allSatisfy(\.isASCIIDigit), Int64(text) != nil else {
            throw Refusal(
                .badExpirationDate, "apns-expiration is \(text.excerpt); it takes seconds since 1970, in digits")
        }
    }

    private static func checkPriority(_ text: String?) throws(Refusal) {
        guard let text else { return }
        guard text == "10" || text == "5" || text == "1" else {
            throw Refusal(.badPriority, "apns-priority is \(text.excerpt); it takes 10, 5 or 1")
        }
    }

    private func pushType(_ text: String?, topic: String) throws(Refusal) -> PushType {
        guard let text else {
            if rules.isStrict {
                throw Refusal(.invalidPushType, "apns-push-type is missing, and --strict requires it")
            }
            return PushType(impliedByTopic: topic)
        }
        guard let pushType = PushType(rawValue: text) else {
            let all = PushType.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(.invalidPushType, "apns-push-type is \(text.excerpt); it takes one of \(all)")
        }
        return pushType
    }

    private static func checkCollapseID(_ text: String?) throws(Refusal) {
        guard let text else { return }
        guard (1...longestCollapseID).contains(text.utf8.count) else {
            throw Refusal(
                .badCollapseID, "apns-collapse-id has \(text.utf8.count) bytes; it takes 1 to \(longestCollapseID)")
        }
    }
}

extension RequestValidator {
    /// Checks the topic: a bundle id (letters, digits, hyphens, periods) with the suffix of its push type.
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
            throw Refusal(.topicDisallowed, "apns-topic is \(topic.excerpt), which is not a known app")
        }
        if let owner = deviceToken.flatMap({ rules.topicsByDeviceToken[$0] }), owner != bundleID {
            throw Refusal(
                .deviceTokenNotForTopic, "apns-topic is \(topic.excerpt); the device token belongs to \(owner.excerpt)")
        }
    }

    static func isBundleIDCharacter(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
