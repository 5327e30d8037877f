internal import NIOCore

extension HTTP2ConnectionState {
    /// The client has closed its side: the requests that are not whole will never be.
    mutating func inputClosed(at now: NIODeadline) -> Action? {
        farewell = farewell ?? now
        isInputClosed = true
        streams = streams.filter(\.value)
        return endIfDone(at: now)
    }

    /// The server stops.
    mutating func stop(at now: NIODeadline) -> Action? {
        guard drain == nil else { return nil }
        drain = Drain(beginning: now)
        return .announceEnd
    }

    /// The time at which to call ``timePassed(at:)``, unless something happens before; `distantFuture` if there is none.
    var deadline: NIODeadline { min(headEnd, farewellEnd, drainEnd, idleEnd) }

    mutating func timePassed(at now: NIODeadline) -> Action? {
        guard deadline <= now else { return nil }
        if headEnd <= now { return .end(.slowHead) }
        if farewellEnd <= now { return .end(.done) }
        return drain == nil ? stop(at: now) : .end(.done)
    }

    func endIfDone(at now: NIODeadline) -> Action? {
        guard streams.isEmpty else { return nil }
        let hasLeft = isInputClosed || farewellEnd <= now
        return hasLeft || drain?.isAcknowledged == true ? .end(.done) : nil
    }

    private var headEnd: NIODeadline { headBeginning.map { $0 + limits.head } ?? .distantFuture }

    private var farewellEnd: NIODeadline {
        farewell.map { $0 + (streams.isEmpty ? limits.stragglers : limits.farewell) } ?? .distantFuture
    }

    private var drainEnd: NIODeadline {
        drain.map { $0.beginning + (streams.isEmpty ? limits.notice : limits.drain) } ?? .distantFuture
    }

    private var idleEnd: NIODeadline {
        guard drain == nil, let idleBeginning else { return .distantFuture }
        return idleBeginning + limits.idle
    }
}
