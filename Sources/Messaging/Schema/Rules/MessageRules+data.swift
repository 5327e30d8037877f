internal import JSON

extension MessageRules {
    private static let reservedKeys: Set = ["from", "message_type"]
    private static let reservedPrefixes = ["google.", "gcm.notification."]

    /// How many bytes all keys and values may have together.
    private var maximumDataSize: Int { isForSubscribers ? 2_048 : 4_096 }

    /// A platform's data stand in for the message's, and are held to the same.
    mutating func checkData() {
        check(data: message["data"], field: "data")
        check(data: message["android"]?["data"], field: "android.data")
        check(data: message["androidV2"]?["data"], field: "android_v2.data")
        check(data: message["webpush"]?["data"], field: "webpush.data")
    }

    private mutating func check(data: JSONValue?, field: String) {
        let members = data?.object?.members ?? []
        for (key, _) in members where Self.isReserved(key) {
            report(field, "Invalid data payload key: \(key.bounded)")
        }
        let size = members.reduce(0) { $0 + $1.name.utf8.count + ($1.value.string?.utf8.count ?? 0) }
        if size > maximumDataSize {
            report(field, "Data payload is too big: \(size) bytes of keys and values, of at most \(maximumDataSize)")
        }
    }

    private static func isReserved(_ key: String) -> Bool {
        reservedKeys.contains(key) || reservedPrefixes.contains { key.hasPrefix($0) }
    }
}
