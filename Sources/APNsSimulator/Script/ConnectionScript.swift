/// The misbehaviour of a connection: one step of a script for connections.
///
/// It is assigned when a connection is accepted and applies for the connection's whole life. Connections that are
/// already open do not change. Requests are counted on each connection from 1, by their HEADERS frames, including
/// refused ones. If several effects apply to one request, the first of these happens: the stall, the break, the
/// exclusion by GOAWAY, the refusal for the stream limit, ``refusesEvery``, ``streamReset``.
///
/// Two connections that end with their first request, then normal ones:
///
/// ```swift
/// var script = ConnectionScript(count: 2)
/// script.goAway = ScriptedGoAway(afterRequests: 1)
/// simulator.script(connections: [script])
/// ```
public struct ConnectionScript: Hashable, Sendable {
    /// The number of connections before the next step; `nil` for all that follow.
    public var count: Int?
    /// `true` to accept TCP and never answer the TLS handshake.
    public var stallsHandshake = false
    /// The number of requests after which nothing is read or sent any more, PING included, while the connection stays
    /// open; `nil` for no stall.
    public var stallsAfter: Int?
    /// The end of the connection without GOAWAY; `nil` for none.
    public var breakage: ConnectionBreakage?
    /// The end of the connection with GOAWAY; `nil` for none.
    public var goAway: ScriptedGoAway?
    /// Changes of SETTINGS_MAX_CONCURRENT_STREAMS, in ascending order of their requests.
    public var streamLimits: [StreamLimitStep] = []
    /// The interval of requests refused with REFUSED_STREAM (2 for every second request): they are not processed, and a
    /// client may safely repeat them (RFC 9113 §8.7). `nil` for none.
    public var refusesEvery: Int?
    /// The requests whose streams are reset instead of answered; `nil` for none.
    public var streamReset: ScriptedStreamReset?
    /// The delay of each answer, in addition to all other delays; `nil` for none.
    public var latency: AnswerLatency?
    /// The rule that makes 403 ExpiredProviderToken permanent on the connection; `nil` for none.
    public var providerTokenExpiry: ProviderTokenExpiry?
    /// The number of different provider tokens that the connection accepts. Further ones are answered 429
    /// TooManyProviderTokenUpdates; the first ones stay valid. `nil` for no limit.
    public var maximumProviderTokens: Int?
    /// `true` to switch on NIO's limiter of stream resets; `nil` for the value of
    /// ``APNsSimulatorConfiguration/limitsStreamResets``.
    public var limitsStreamResets: Bool?

    /// Creates the script of a normal connection, whose properties can then be changed.
    ///
    /// - Parameter count: The number of connections; `nil` for all that follow.
    public init(count: Int? = 1) {
        self.count = count
    }
}

/// The end of a connection without GOAWAY and without TLS's close_notify.
public struct ConnectionBreakage: Hashable, Sendable {
    /// A way of ending the TCP connection.
    public enum Kind: String, Hashable, Sendable {
        /// RST, as from a load balancer that no longer knows the connection. Data sent just before may be lost.
        case reset
        /// FIN, as from a process that has died.
        case close
    }

    /// The number of requests that are processed. The connection breaks at the next one.
    public var afterRequests: Int
    /// The way the TCP connection ends.
    public var kind: Kind
    /// `true` to process that request as well and to break the connection after the HEADERS frame of its answer.
    public var isInAnswer: Bool

    /// Creates a breakage after a number of requests.
    public init(afterRequests: Int, kind: Kind = .reset, isInAnswer: Bool = false) {
        self.afterRequests = afterRequests
        self.kind = kind
        self.isInAnswer = isInAnswer
    }
}

/// A GOAWAY after a number of requests (RFC 9113 §6.8). The connection closes after the last answer.
///
/// Later streams are ignored. They are above the last stream id, so a client has to repeat their requests.
public struct ScriptedGoAway: Hashable, Sendable {
    /// The number of the request with which GOAWAY is sent.
    public var afterRequests: Int
    /// The `reason` in the debug data, `{"reason":…}`, as at Apple; `nil` for no debug data.
    public var reason: String?
    /// `true` to leave that request unprocessed: the last stream id is lower than its own, and it is not answered.
    public var leavesOutLast: Bool

    /// Creates a GOAWAY after a number of requests.
    public init(afterRequests: Int, reason: String? = "Shutdown", leavesOutLast: Bool = false) {
        self.afterRequests = afterRequests
        self.reason = reason
        self.leavesOutLast = leavesOutLast
    }
}

/// A change of SETTINGS_MAX_CONCURRENT_STREAMS during a connection (RFC 9113 §6.5.2).
///
/// Open streams stay open. Streams beyond the limit that the client opened before it learned of the change are refused
/// with REFUSED_STREAM. A client that exceeds the limit after acknowledging it loses the connection (GOAWAY with
/// PROTOCOL_ERROR, RFC 9113 §5.4.1).
public struct StreamLimitStep: Hashable, Sendable {
    /// The number of the request after which the limit is announced.
    public var afterRequests: Int
    /// The new limit. With 0 a client may open no stream.
    public var limit: Int

    /// Creates a change of the limit after a number of requests.
    public init(afterRequests: Int, limit: Int) {
        self.afterRequests = afterRequests
        self.limit = limit
    }
}

/// An RST_STREAM instead of an answer (RFC 9113 §6.4).
public struct ScriptedStreamReset: Hashable, Sendable {
    /// The interval of affected requests: 2 for every second one.
    public var every: Int
    /// The error code (RFC 9113 §7). 2 is INTERNAL_ERROR.
    public var errorCode: UInt32
    /// `true` to accept the notification nevertheless. The sender cannot know, so it repeats the request, which counts
    /// as a duplicate.
    public var isAccepted: Bool

    /// Resets every nth stream, by default with INTERNAL_ERROR and without accepting its notification.
    public init(every: Int, errorCode: UInt32 = 2, isAccepted: Bool = false) {
        self.every = every
        self.errorCode = errorCode
        self.isAccepted = isAccepted
    }
}

/// A rule that makes 403 ExpiredProviderToken permanent on a connection.
///
/// After the first such answer every later request is answered the same, with any provider token. A client has to open
/// a new connection.
public struct ProviderTokenExpiry: Hashable, Sendable {
    /// The number of answers after which it begins; `nil` to begin only after a provider token has expired, or after a
    /// scripted answer with this reason.
    public var afterRequests: Int?

    /// Creates a rule that begins after a number of answers, or with the first such answer.
    public init(afterRequests: Int? = nil) {
        self.afterRequests = afterRequests
    }
}
