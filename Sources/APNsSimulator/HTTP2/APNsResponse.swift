import JSON

/// An answer before it is put into frames.
struct APNsResponse: Sendable {
    let status: Int
    /// Seconds since 1970, for `date`.
    let date: Int64
    /// Echoed, or made when the request had none.
    let apnsID: String
    /// Apple's development environment gives accepted notifications an id to look them up by in the Push
    /// Notifications Console.
    let uniqueID: String?
    let reason: String?
    /// Milliseconds since 1970; with 410 only.
    let timestamp: Int64?
    let retryAfter: Int?
    /// Whether the request had a provider token that was believed.
    let isAuthenticated: Bool
    /// How long to hold the answer back.
    var delay: Duration

    /// The JSON body; empty when there is no reason to give.
    var body: [UInt8] {
        guard let reason else { return [] }
        var bytes = Array(#"{"reason":"#.utf8)
        JSONValue.writeString(reason, to: &bytes)
        if let timestamp { bytes.append(contentsOf: #","timestamp":\#(timestamp)"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
