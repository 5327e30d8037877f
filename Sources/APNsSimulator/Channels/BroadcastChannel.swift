import JSON

/// A broadcast channel: the updates of Live Activities, without a token for each.
///
/// Apple, "Setting up broadcast push notifications".
public struct BroadcastChannel: Hashable, Sendable {
    /// A broadcast that is kept for phones that are off.
    public struct Stored: Hashable, Sendable {
        /// The payload as received.
        public let payload: [UInt8]
        /// The time until which it is kept, in seconds since 1970.
        public let expiration: Int64
    }

    /// The id, a text in base64.
    public let id: String
    /// The app that the channel belongs to.
    public let bundleID: String
    /// `true` if the newest broadcast is kept for phones that are off: the message storage policy 1.
    public let storesNewest: Bool
    /// The time of the creation, in seconds since 1970.
    public let createdAt: Int64
    /// The number of accepted broadcasts.
    public internal(set) var broadcasts = 0
    /// The broadcast that is kept; `nil` if there is none. It may have expired.
    public internal(set) var stored: Stored?
}

/// JSON of channels, at the control address.
extension BroadcastChannel {
    var json: JSONValue {
        var object: JSONObject = [
            "channel": .string(id), "bundle_id": .string(bundleID), "stores_newest": .bool(storesNewest),
            "created_at": .integer(createdAt), "broadcasts": .integer(Int64(broadcasts)),
        ]
        if let stored {
            object["stored"] = [
                "payload": (try? JSONValue(parsing: stored.payload)) ?? .null,
                "expiration": .integer(stored.expiration),
            ]
        }
        return .object(object)
    }
}
