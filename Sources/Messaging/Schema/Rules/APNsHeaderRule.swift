/// What the value of one of Apple's header fields has to be
/// ([Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)).
struct APNsHeaderRule: Sendable {
    let text: String
    let holds: @Sendable (String) -> Bool

    /// By the field's name. Other fields pass.
    static let all: [String: APNsHeaderRule] = [
        "apns-priority": APNsHeaderRule(text: "must be 1, 5 or 10") { ["1", "5", "10"].contains($0) },
        "apns-expiration": APNsHeaderRule(text: "must be a whole number of seconds since 1970", holds: isWholeNumber),
        "apns-push-type": APNsHeaderRule(text: "must be one of \(pushTypes)") { APNsPushType(rawValue: $0) != nil },
        "apns-collapse-id": APNsHeaderRule(text: "must have 1 to 64 bytes") { (1...64).contains($0.utf8.count) },
        "apns-topic": APNsHeaderRule(text: "must be a bundle id, perhaps with a suffix", holds: isTopic),
        "apns-id": APNsHeaderRule(text: "must be a UUID", holds: isUUID),
    ]

    private static let pushTypes = APNsPushType.allCases.map(\.rawValue).joined(separator: ", ")

    @Sendable
    private static func isWholeNumber(_ text: String) -> Bool {
        text.utf8.allSatisfy(\.isASCIIDigit) && Int64(text) != nil
    }

    @Sendable
    private static func isTopic(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-.".utf8.contains($0) }
    }

    /// 8-4-4-4-12 hexadecimal digits.
    @Sendable
    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.utf8.allSatisfy(\.isHexadecimalDigit) }
    }
}
