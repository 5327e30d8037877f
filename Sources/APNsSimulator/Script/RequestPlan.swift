/// What a connection does when a request begins on it.
struct RequestPlan: Hashable, Sendable {
    /// What becomes of the request.
    enum Fate: Hashable, Sendable {
        case process(Delivery)
        /// RST_STREAM with this error code, unprocessed.
        case reset(UInt32)
        /// Nothing: GOAWAY says that it was not processed.
        case leaveOut
        case stall
        case `break`(ConnectionBreakage.Kind)
    }

    /// What becomes of the answer of a request that is processed.
    enum Delivery: Hashable, Sendable {
        case whole
        /// HEADERS without END_STREAM, then the end of the connection.
        case cutOff(ConnectionBreakage.Kind)
        /// RST_STREAM with this error code in its place.
        case replacedByReset(UInt32)
    }

    var fate = Fate.process(.whole)
    /// SETTINGS_MAX_CONCURRENT_STREAMS to announce.
    var streamLimit: Int?
    var goAway: ScriptedGoAway?
}
