/// A change of SETTINGS_MAX_CONCURRENT_STREAMS in mid-connection (RFC 9113 §6.5.2).
///
/// Streams that are open stay open. Of those that come while the limit is reached, each is refused with REFUSED_STREAM:
/// they were on their way before the client knew. A client that still goes beyond the limit after it has acknowledged
/// it loses the connection (GOAWAY with PROTOCOL_ERROR, RFC 9113 §5.4.1).
public struct StreamLimitStep: Hashable, Sendable {
    /// The request after which it is announced.
    public var afterRequests: Int
    /// The new limit; with 0 no stream may be opened.
    public var limit: Int

    public init(afterRequests: Int, limit: Int) {
        self.afterRequests = afterRequests
        self.limit = limit
    }
}
