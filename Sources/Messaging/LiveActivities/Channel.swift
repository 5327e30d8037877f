import Texts

/// Apple's id of a broadcast channel, which all cards that follow it share.
package struct ChannelID: RawRepresentable, Hashable, Sendable {
    /// The id, a text in base64.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The longest id that is sent, in bytes. Apple's have 24.
    private static let maximumLength = 200

    /// `true` if the text may be an id. Any other one would form another header field.
    package var isPlausible: Bool {
        (1...Self.maximumLength).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+/=-_".utf8.contains($0) }
    }
}

/// One push to all followers of a channel.
package struct ChannelBroadcast: Hashable, Sendable {
    /// The payload, as bytes of JSON.
    package let payload: [UInt8]
    /// The value of `apns-priority`.
    package let priority: Int
    /// The time until which Apple keeps it for devices that are off, in seconds since 1970; 0 not to keep it.
    package let expiration: Int64

    package init(payload: [UInt8], priority: Int, expiration: Int64) {
        self.payload = payload
        self.priority = priority
        self.expiration = expiration
    }
}
