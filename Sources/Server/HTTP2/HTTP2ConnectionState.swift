package import NIOCore

/// The state of an HTTP/2 connection, derived from its frames, that decides when the connection ends.
///
/// nghttp2 implements the protocol itself. It sends GOAWAY if a client violates the protocol, and leaves the rest to
/// its user.
package struct HTTP2ConnectionState {
    /// The limits of a connection.
    package struct Limits: Sendable {
        /// The time without a stream.
        var idle: TimeAmount
        /// The time for the head of a request, from its first byte.
        var head: TimeAmount
        /// The time for the responses to a client that sends no more.
        var farewell = TimeAmount.seconds(30)
        /// The time for requests directly after a client's GOAWAY. GOAWAY does not forbid the sender's own requests
        /// (RFC 9113 §6.8), and Node's client sends it first if it is closed with requests that are not written yet.
        var stragglers = TimeAmount.milliseconds(50)
        /// The time for a client to learn that the connection ends.
        var notice = TimeAmount.seconds(5)
        /// The time for the requests that the client made in the meantime.
        var drain = TimeAmount.minutes(5)
        /// The budget of streams that are reset before their response. A response earns one reset.
        var resets = HTTP2Budget.Terms(allowance: 200, perSecond: 10, maximum: 1_000)
        /// The budget of frames that carry no request. Each response earns some, because libcurl sends three with a
        /// request. Each frame of a download earns some too, because clients answer it with two WINDOW_UPDATE frames,
        /// and a short one, such as a listener's news, with one.
        var overhead = HTTP2Budget.Terms(allowance: 1_000, perSecond: 50, maximum: 10_000)
        /// The budget of PING, SETTINGS and PRIORITY frames. Each DATA frame of a response earns one, because gRPC's
        /// clients for Go answer it with a PING, to measure the bandwidth.
        var control = HTTP2Budget.Terms(allowance: 200, perSecond: 7, maximum: 1_000)
        /// The silence of a client with open streams after which it gets a PING; `nil` for none. Streams that wait for
        /// news are silent for hours, but routers forget silent connections, and a lost client is not noticed.
        var keepAlive: TimeAmount?

        /// Sets the limits that depend on the server; the others are the same for all.
        ///
        /// - Parameters:
        ///   - idle: The time without a stream.
        ///   - head: The time for the head of a request, from its first byte.
        ///   - keepAlive: The silence of a client with open streams after which it gets a PING; `nil` for none.
        package init(
            idle: TimeAmount = .seconds(75), head: TimeAmount = .seconds(10), keepAlive: TimeAmount? = nil
        ) {
            self.idle = idle
            self.head = head
            self.keepAlive = keepAlive
        }
    }

    enum Action: Equatable {
        /// Asks the client to open no more streams, and sends a PING, whose acknowledgement shows that the client
        /// knows.
        case announceEnd
        /// Sends a PING.
        case ping
        /// Sends GOAWAY and closes the connection.
        case end(HTTP2ConnectionEnd)
    }

    let limits: Limits
    /// The streams without a complete response; the value is `true` if the request is complete.
    var streams: [UInt32: Bool] = [:]
    /// The streams whose response has begun.
    var responding: Set<UInt32> = []
    /// The highest stream id that the client has opened.
    var lastStream: UInt32 = 0
    var incoming = HTTP2FrameScanner(preface: 24)
    var outgoing = HTTP2FrameScanner()
    var resets: HTTP2Budget
    var overhead: HTTP2Budget
    var control: HTTP2Budget
    /// The stream whose head continues in another frame.
    var unfinishedHead: (stream: UInt32, isWhole: Bool)?
    /// The stream that was reset before the end of its head.
    var refusedHead: UInt32?
    /// The time at which an unfinished head began.
    var headBeginning: NIODeadline?
    /// The time since which there is no stream.
    var idleBeginning: NIODeadline?
    /// The time at which the client announced that it sends no more bytes, or no more requests.
    var farewell: NIODeadline?
    /// `true` if the client has closed its side.
    var isInputClosed = false
    var drain: Drain?
    /// The time of the client's last bytes, or of the last PING for it.
    var lastSign: NIODeadline

    /// The announced end of a connection.
    struct Drain {
        let beginning: NIODeadline
        var isAcknowledged = false
    }

    init(_ limits: Limits, at now: NIODeadline) {
        self.limits = limits
        resets = HTTP2Budget(limits.resets, at: now)
        overhead = HTTP2Budget(limits.overhead, at: now)
        control = HTTP2Budget(limits.control, at: now)
        idleBeginning = now
        lastSign = now
    }
}

// MARK: The client's frames

extension HTTP2ConnectionState {
    /// Processes received bytes.
    ///
    /// - Returns: The number of bytes to pass on, and the action that follows, if any.
    mutating func receive(_ bytes: ByteBuffer, at now: NIODeadline) -> (length: Int, action: Action?) {
        lastSign = now
        var rest = bytes
        while let frame = incoming.nextFrame(in: &rest) {
            if let action = received(frame, at: now) { return (bytes.readableBytes - rest.readableBytes, action) }
        }
        let isHeadUnfinished = unfinishedHead != nil || incoming.current?.isPartOfHead == true
        headBeginning = isHeadUnfinished ? headBeginning ?? now : nil
        return (bytes.readableBytes, nil)
    }

    /// Returns the positions of the types of GOAWAY frames in the received bytes. A position can be before them, if a
    /// frame's header has arrived in several pieces.
    mutating func takeGoAwayTypes() -> [Int] { incoming.takeGoAwayTypes() }

    /// The number of the last received bytes that are the first part of a frame's header.
    var partialHeaderBytes: Int { incoming.partialHeaderBytes }

    /// Processes DATA frames that carried nothing but padding, which their headers do not show.
    mutating func receivePadding(frames: Int, at now: NIODeadline) -> Action? {
        for _ in 0..<frames where !overhead.spend(at: now) { return .end(.tooManyFrames) }
        return nil
    }

    private mutating func received(_ frame: HTTP2FrameHeader, at now: NIODeadline) -> Action? {
        switch frame.type {
        case .headers:
            unfinishedHead = (frame.stream, frame.endsStream)
            return headEnded(by: frame, at: now)
        case .continuation: return headEnded(by: frame, at: now)
        case .data where !frame.isEmptyData:
            if frame.endsStream { requestEnded(on: frame.stream) }
            return nil
        case .resetStream where streams[frame.stream] != nil: return reset(frame.stream, at: now)
        case .ping where frame.flags.contains(.acknowledgement) && drain != nil:
            drain?.isAcknowledged = true
            return endIfDone(at: now)
        case .goAway where farewell == nil:
            farewell = now
            return nil
        case .ping, .settings, .priority: return control.spend(at: now) ? nil : .end(.tooManyFrames)
        default: return overhead.spend(at: now) ? nil : .end(.tooManyFrames)
        }
    }

    private mutating func headEnded(by frame: HTTP2FrameHeader, at now: NIODeadline) -> Action? {
        guard frame.flags.contains(.endHeaders), let (stream, isWhole) = unfinishedHead else { return nil }
        unfinishedHead = nil
        if stream > lastStream {
            (lastStream, headBeginning) = (stream, nil)
            if refusedHead == stream { return resets.spend(at: now) ? nil : .end(.tooManyResets) }
            idleBeginning = nil
            streams[stream] = isWhole
            return nil
        }
        if isWhole { requestEnded(on: stream) }
        return overhead.spend(at: now) ? nil : .end(.tooManyFrames)
    }

    private mutating func requestEnded(on stream: UInt32) {
        if streams[stream] != nil { streams[stream] = true }
    }
}

// MARK: The gateway's frames

extension HTTP2ConnectionState {
    /// Processes bytes that nghttp2 has written.
    mutating func send(_ bytes: ByteBuffer, at now: NIODeadline) -> Action? {
        var rest = bytes
        while let frame = outgoing.nextFrame(in: &rest) {
            if let action = sent(frame, at: now) { return action }
        }
        return nil
    }

    private mutating func sent(_ frame: HTTP2FrameHeader, at now: NIODeadline) -> Action? {
        switch frame.type {
        // nghttp2 sends this frame only after an error.
        case .goAway: return .end(.connectionError)
        case .resetStream where streams[frame.stream] != nil: return reset(frame.stream, at: now)
        case .resetStream where frame.stream > lastStream:
            // The rest of its head is still to come, and opens no stream.
            refusedHead = frame.stream
            return nil
        case .data, .headers:
            if frame.type == .data, frame.length > 0 { control.earn(1) }
            if frame.endsStream { return answered(frame.stream, at: now) }
            if frame.type == .headers, streams[frame.stream] != nil { responding.insert(frame.stream) }
            // A listener's shortest news have a little more than 24 bytes. A client that opens its window one byte at a
            // time earns no credit.
            if frame.length >= 24 { overhead.earn(frame.length >= 256 ? 2 : 1) }
            return nil
        default: return nil
        }
    }

    private mutating func answered(_ stream: UInt32, at now: NIODeadline) -> Action? {
        guard streams[stream] != nil else { return nil }
        resets.earn(1)
        overhead.earn(8)
        return ended(stream, at: now)
    }

    /// Handles a stream that ends before its response, because the client cancelled it or made an error: the work is
    /// lost. Clients end a response that has begun, such as a listener's, in no other way.
    private mutating func reset(_ stream: UInt32, at now: NIODeadline) -> Action? {
        guard responding.contains(stream) || resets.spend(at: now) else { return .end(.tooManyResets) }
        return ended(stream, at: now)
    }

    private mutating func ended(_ stream: UInt32, at now: NIODeadline) -> Action? {
        streams[stream] = nil
        responding.remove(stream)
        if streams.isEmpty { idleBeginning = now }
        return endIfDone(at: now)
    }
}

extension HTTP2ConnectionState {
    /// Handles the end of the client's side: requests that are incomplete now stay incomplete.
    mutating func inputClosed(at now: NIODeadline) -> Action? {
        farewell = farewell ?? now
        isInputClosed = true
        streams = streams.filter(\.value)
        return endIfDone(at: now)
    }

    /// Begins the end of the connection because the server stops.
    mutating func stop(at now: NIODeadline) -> Action? {
        guard drain == nil else { return nil }
        drain = Drain(beginning: now)
        return .announceEnd
    }

    /// The time at which to call ``timePassed(at:)`` if nothing happens before; `distantFuture` if there is none.
    var deadline: NIODeadline { min(headEnd, farewellEnd, drainEnd, idleEnd, silenceEnd) }

    mutating func timePassed(at now: NIODeadline) -> Action? {
        guard deadline <= now else { return nil }
        if headEnd <= now { return .end(.slowHead) }
        if farewellEnd <= now { return .end(.done) }
        if min(drainEnd, idleEnd) <= now { return drain == nil ? stop(at: now) : .end(.done) }
        lastSign = now
        return .ping
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

    private var silenceEnd: NIODeadline {
        // The acknowledgement of a PING after the announced end has a meaning of its own.
        let isWatched = drain == nil && !isInputClosed && !streams.isEmpty
        return isWatched ? limits.keepAlive.map { lastSign + $0 } ?? .distantFuture : .distantFuture
    }
}
