internal import NIOCore

// MARK: The client's frames

extension HTTP2ConnectionState {
    /// Looks at bytes that have come.
    ///
    /// - Returns: how many of them to pass on, and what to do then.
    mutating func receive(_ bytes: ByteBuffer, at now: NIODeadline) -> (length: Int, action: Action?) {
        var rest = bytes
        while let frame = incoming.nextFrame(in: &rest) {
            if let action = received(frame, at: now) { return (bytes.readableBytes - rest.readableBytes, action) }
        }
        let isHeadUnfinished = unfinishedHead != nil || incoming.current?.isPartOfHead == true
        headBeginning = isHeadUnfinished ? headBeginning ?? now : nil
        return (bytes.readableBytes, nil)
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
        default: return overhead.spend(at: now) ? nil : .end(.tooManyFrames)
        }
    }

    private mutating func headEnded(by frame: HTTP2FrameHeader, at now: NIODeadline) -> Action? {
        guard frame.flags.contains(.endHeaders), let (stream, isWhole) = unfinishedHead else { return nil }
        unfinishedHead = nil
        if stream > lastStream {
            (lastStream, idleBeginning, headBeginning) = (stream, nil, nil)
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
    /// Looks at bytes that NIO has sent.
    mutating func send(_ bytes: ByteBuffer, at now: NIODeadline) -> Action? {
        var rest = bytes
        while let frame = outgoing.nextFrame(in: &rest) {
            if let action = sent(frame, at: now) { return action }
        }
        return nil
    }

    private mutating func sent(_ frame: HTTP2FrameHeader, at now: NIODeadline) -> Action? {
        switch frame.type {
        // NIO says it only after an error.
        case .goAway: return .end(.connectionError)
        case .resetStream where streams[frame.stream] != nil: return reset(frame.stream, at: now)
        case .data, .headers:
            // A client that gives a window of a byte at a time earns nothing.
            if frame.endsStream { return answered(frame.stream, at: now) }
            if frame.length >= 256 { overhead.earn(2) }
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

    /// A stream ends before its answer, by the client's will or by its mistake: the work was for nothing.
    private mutating func reset(_ stream: UInt32, at now: NIODeadline) -> Action? {
        guard resets.spend(at: now) else { return .end(.tooManyResets) }
        return ended(stream, at: now)
    }

    private mutating func ended(_ stream: UInt32, at now: NIODeadline) -> Action? {
        streams[stream] = nil
        if streams.isEmpty { idleBeginning = now }
        return endIfDone(at: now)
    }
}
