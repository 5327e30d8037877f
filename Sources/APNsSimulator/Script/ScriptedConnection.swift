/// The progress of a connection in its script, which decides the fate of its next request.
///
/// It is a value without I/O. ``ConnectionHandler`` executes its plans.
struct ScriptedConnection: Sendable {
    /// REFUSED_STREAM (RFC 9113 §7).
    static let refusedStream: UInt32 = 7

    private let script: ConnectionScript
    private var requests = 0
    /// The limit that the script announced last; `nil` before the first, while NIO enforces the initial one.
    private var streamLimit: Int?

    init(_ script: ConnectionScript) {
        self.script = script
    }

    /// Counts a request and returns the plan for it.
    ///
    /// - Parameter openStreams: The number of other open streams.
    mutating func receiveRequest(openStreams: Int) -> RequestPlan {
        requests += 1
        let fate = fate(openStreams: openStreams)
        let limit = script.streamLimits.last { $0.afterRequests == requests }?.limit
        streamLimit = limit ?? streamLimit
        return RequestPlan(fate: fate, streamLimit: limit, goAway: dueGoAway)
    }

    private var dueGoAway: ScriptedGoAway? {
        script.goAway.flatMap { requests >= $0.afterRequests ? $0 : nil }
    }

    private func fate(openStreams: Int) -> RequestPlan.Fate {
        if let limit = script.stallsAfter, requests > limit { return .stall }
        if let breakage = script.breakage, requests > breakage.afterRequests {
            return breakage.isInAnswer ? .process(.cutOff(breakage.kind)) : .break(breakage.kind)
        }
        if dueGoAway?.leavesOutLast == true { return .leaveOut }
        if let streamLimit, openStreams >= streamLimit { return .reset(Self.refusedStream) }
        if falls(on: script.refusesEvery) { return .reset(Self.refusedStream) }
        return resetOrAnswer
    }

    private var resetOrAnswer: RequestPlan.Fate {
        guard let reset = script.streamReset, falls(on: reset.every) else { return .process(.whole) }
        return reset.isAccepted ? .process(.replacedByReset(reset.errorCode)) : .reset(reset.errorCode)
    }

    /// Returns `true` if the number of this request is a multiple of the interval.
    private func falls(on interval: Int?) -> Bool {
        guard let interval, interval > 0 else { return false }
        return requests.isMultiple(of: interval)
    }
}

/// The actions of a connection when a request begins.
struct RequestPlan: Hashable, Sendable {
    /// The treatment of a request.
    enum Fate: Hashable, Sendable {
        case process(Delivery)
        /// RST_STREAM with this error code, without processing.
        case reset(UInt32)
        /// No answer: GOAWAY says that the request was not processed.
        case leaveOut
        case stall
        case `break`(ConnectionBreakage.Kind)
    }

    /// The delivery of the answer to a processed request.
    enum Delivery: Hashable, Sendable {
        case whole
        /// HEADERS without END_STREAM, then the end of the connection.
        case cutOff(ConnectionBreakage.Kind)
        /// RST_STREAM with this error code instead of the answer.
        case replacedByReset(UInt32)
    }

    var fate = Fate.process(.whole)
    /// The SETTINGS_MAX_CONCURRENT_STREAMS to announce; `nil` for no change.
    var streamLimit: Int?
    var goAway: ScriptedGoAway?
}
