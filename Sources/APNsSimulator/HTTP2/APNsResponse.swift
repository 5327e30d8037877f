import JSON
import NIOHPACK
import SimulatorTools

/// An answer to a request, independent of HTTP/2 frames.
struct APNsResponse: Sendable {
    let status: Int
    /// The value of the `date` header, in seconds since 1970.
    let date: Int64
    /// The request's `apns-id`, or a generated one if the request had none.
    let apnsID: String
    /// The id by which Apple's Push Notifications Console finds an accepted notification. Apple's development
    /// environment sends it; production does not.
    let uniqueID: String?
    let reason: String?
    /// The `timestamp` of a 410, in milliseconds since 1970; `nil` for other statuses.
    let timestamp: Int64?
    let retryAfter: Int?
    /// `true` if the request had a valid provider token.
    let isAuthenticated: Bool
    /// The delay before the answer is sent.
    var delay: Duration
    /// The parts of an answer about channels; `nil` for notifications.
    var channels: ChannelAnswer?

    /// The parts that only answers about channels have.
    struct ChannelAnswer: Sendable {
        /// The request's `apns-request-id`, or a generated one. It is there in place of the `apns-id`.
        let requestID: String
        /// The id of a new channel.
        var channelID: String?
        /// The body of an answer without a reason.
        var content: JSONValue?
    }

    /// The JSON body; empty if there is no reason.
    var body: [UInt8] {
        guard let reason else { return channels?.content?.serialized ?? [] }
        var bytes = Array(#"{"reason":"#.utf8)
        JSONValue.writeString(reason, to: &bytes)
        if let timestamp { bytes.append(contentsOf: #","timestamp":\#(timestamp)"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

extension APNsResponse {
    /// The fields of the HEADERS frame.
    ///
    /// The ids differ in each answer, so they are not added to HPACK's dynamic table.
    var headers: HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(6)
        headers.add(name: ":status", value: String(status))
        headers.add(name: "date", value: HTTPDate.text(date))
        if let channels {
            headers.add(name: "apns-request-id", value: channels.requestID, indexing: .nonIndexable)
            if let id = channels.channelID { headers.add(name: "apns-channel-id", value: id, indexing: .nonIndexable) }
        } else {
            headers.add(name: "apns-id", value: apnsID, indexing: .nonIndexable)
        }
        if let uniqueID { headers.add(name: "apns-unique-id", value: uniqueID, indexing: .nonIndexable) }
        if let retryAfter { headers.add(name: "retry-after", value: String(retryAfter)) }
        return headers
    }
}
