extension RequestValidator {
    /// The largest collapse id, in bytes.
    public static let longestCollapseID = 64

    /// Checks how and when the notification is to be delivered, and returns its push type.
    ///
    /// - Parameter topic: says which push type it is, when the request does not.
    func checkDelivery(_ headers: APNsHeaders, topic: String) throws(Refusal) -> PushType {
        try Self.checkExpiration(headers.expiration)
        try Self.checkPriority(headers.priority)
        let pushType = try self.pushType(headers.pushType, topic: topic)
        // Without the header the priority is 10, which a background push must not have.
        if pushType == .background, headers.priority != "5" {
            throw Refusal(
                .badPriority,
                "a background push takes apns-priority 5 only, and it is \(headers.priority?.excerpt ?? "missing, which is 10")"
            )
        }
        try Self.checkCollapseID(headers.collapseID)
        return pushType
    }

    /// Seconds since 1970 in decimal; 0 asks for one attempt. A date in the past is no error.
    private static func checkExpiration(_ text: String?) throws(Refusal) {
        guard let text else { return }
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), Int64(text) != nil else {
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
                throw Refusal(.invalidPushType, "apns-push-type is missing, which --strict does not take")
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
