/// How far a connection has come in its script, and what that means for its next request.
///
/// A value without I/O; ``ConnectionHandler`` does what it says.
struct ScriptedConnection: Sendable {
    /// REFUSED_STREAM (RFC 9113 §7).
    static let refusedStream: UInt32 = 7

    private let script: ConnectionScript
    private var requests = 0
    /// The limit last announced by the script; until then NIO keeps to the one the connection began with.
    private var streamLimit: Int?

    init(_ script: ConnectionScript) {
        self.script = script
    }

    /// A request has begun.
    ///
    /// - Parameter openStreams: how many others are open.
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

    /// Whether this request is a multiple of that number.
    private func falls(on interval: Int?) -> Bool {
        guard let interval, interval > 0 else { return false }
        return requests.isMultiple(of: interval)
    }
}
