/// GOAWAY after a number of requests (RFC 9113 §6.8); the connection closes when the last answer is out.
///
/// Streams that come later are ignored. They are above the last stream id, so their requests are to be sent again.
public struct ScriptedGoAway: Hashable, Sendable {
    /// The request at which it is sent.
    public var afterRequests: Int
    /// The `reason` in the debug data, `{"reason":…}`, as at Apple; `nil` for none.
    public var reason: String?
    /// Whether that very request counts as unprocessed: the last stream id is lower than its own, and it is not answered.
    public var leavesOutLast: Bool

    public init(afterRequests: Int, reason: String? = "Shutdown", leavesOutLast: Bool = false) {
        self.afterRequests = afterRequests
        self.reason = reason
        self.leavesOutLast = leavesOutLast
    }
}
