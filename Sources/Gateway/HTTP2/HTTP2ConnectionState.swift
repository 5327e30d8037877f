internal import NIOCore

/// The life of an HTTP/2 connection, from the frames that go by: decides when it ends.
///
/// The protocol itself is NIO's business. It says GOAWAY when a client breaks it, and then leaves the connection to
/// others; it limits PING, SETTINGS and PRIORITY frames, and streams in error, to 200 in 30 s.
struct HTTP2ConnectionState {
    struct Limits: Sendable {
        /// Without a stream.
        var idle = TimeAmount.seconds(75)
        /// For the head of a request, from its first byte.
        var head = TimeAmount.seconds(10)
        /// For the answers to a client that sends nothing more.
        var farewell = TimeAmount.seconds(30)
        /// For requests that come right behind a client's GOAWAY: it forbids none of its own (RFC 9113 §6.8), and Node's
        /// client sends it first when it is closed with requests that it has not written yet.
        var stragglers = TimeAmount.milliseconds(50)
        /// For a client to learn that the connection ends, and then for the requests that it made meanwhile.
        var notice = TimeAmount.seconds(5)
        var drain = TimeAmount.minutes(5)
        /// Of streams that are reset before their answer. An answer earns a reset.
        var resets = HTTP2Budget.Terms(allowance: 200, perSecond: 10, maximum: 1_000)
        /// Of frames that carry no request. Each answer earns some, since libcurl sends three with a request, and so does each
        /// frame of a download, to which a client answers with two WINDOW_UPDATEs.
        var overhead = HTTP2Budget.Terms(allowance: 1_000, perSecond: 50, maximum: 10_000)
    }

    enum Action: Equatable {
        /// Ask the client to open no more streams, and for a PING's acknowledgement, by which it says that it knows.
        case announceEnd
        /// Say GOAWAY and close.
        case end(HTTP2ConnectionEnd)
    }

    let limits: Limits
    /// The streams that have no whole answer, and whether their requests are whole.
    var streams: [UInt32: Bool] = [:]
    /// The highest stream that the client has opened.
    var lastStream: UInt32 = 0
    var incoming = HTTP2FrameScanner(preface: 24)
    var outgoing = HTTP2FrameScanner()
    var resets: HTTP2Budget
    var overhead: HTTP2Budget
    /// The stream of a head that goes on in another frame.
    var unfinishedHead: (stream: UInt32, isWhole: Bool)?
    /// The time at which a head began that is not finished.
    var headBeginning: NIODeadline?
    /// The time since which there is no stream.
    var idleBeginning: NIODeadline?
    /// The time at which the client said that it sends nothing more, or no more requests.
    var farewell: NIODeadline?
    /// A Boolean value indicating whether the client has closed its side.
    var isInputClosed = false
    var drain: Drain?

    /// The end of a connection that the gateway has announced.
    struct Drain {
        let beginning: NIODeadline
        var isAcknowledged = false
    }

    init(_ limits: Limits, at now: NIODeadline) {
        self.limits = limits
        resets = HTTP2Budget(limits.resets, at: now)
        overhead = HTTP2Budget(limits.overhead, at: now)
        idleBeginning = now
    }
}

/// The reason why a connection ends.
enum HTTP2ConnectionEnd: Equatable {
    /// There is nothing more to do on it.
    case done
    /// A head did not become whole in time.
    case slowHead
    /// The client broke the protocol, and was told so.
    case connectionError
    case tooManyResets
    case tooManyFrames

    /// A Boolean value indicating whether the client means no good, so that nothing more is read from it.
    var isMisuse: Bool { self == .connectionError || self == .tooManyResets || self == .tooManyFrames }
}
