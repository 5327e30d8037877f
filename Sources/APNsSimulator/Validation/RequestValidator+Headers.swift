extension RequestValidator {
    /// The largest collapse id, in bytes.
    public static let longestCollapseID = 64

    /// Checks how and when the notification is to be delivered, and returns its push type.
    func checkDelivery(_ headers: APNsHeaders) throws(Rejection) -> PushType {
        try Self.checkExpiration(headers.expiration)
        try Self.checkPriority(headers.priority)
        let pushType = try self.pushType(headers.pushType)
        // Without the header the priority is 10, which a background push must not have.
        if pushType == .background, headers.priority != "5" { throw .badPriority }
        try Self.checkCollapseID(headers.collapseID)
        return pushType
    }

    /// Seconds since 1970 in decimal; 0 asks for one attempt. A date in the past is no error.
    private static func checkExpiration(_ text: String?) throws(Rejection) {
        guard let text else { return }
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), Int64(text) != nil else {
            throw .badExpirationDate
        }
    }

    private static func checkPriority(_ text: String?) throws(Rejection) {
        guard let text else { return }
        guard text == "10" || text == "5" || text == "1" else { throw .badPriority }
    }

    private func pushType(_ text: String?) throws(Rejection) -> PushType {
        guard let text else {
            if rules.requiresPushType { throw .invalidPushType }
            return .alert
        }
        guard let pushType = PushType(rawValue: text) else { throw .invalidPushType }
        return pushType
    }

    private static func checkCollapseID(_ text: String?) throws(Rejection) {
        guard let text else { return }
        guard (1...longestCollapseID).contains(text.utf8.count) else { throw .badCollapseID }
    }
}
