/// How a connection misbehaves: one step of a script for connections.
///
/// It is taken when a connection is accepted and holds for as long as that lives; connections that are open already go
/// on as they are. Requests are counted on the connection from 1, by their HEADERS frames, refused ones included. When
/// several things fall on one request, the first of these happens to it: the stall, the break, being left out by
/// GOAWAY, being refused for the stream limit, ``refusesEvery``, ``streamReset``.
public struct ConnectionScript: Hashable, Sendable {
    /// How many connections it is for before the next step; `nil` for all that follow.
    public var count: Int?
    /// Whether it hangs at once: TCP is accepted, the TLS handshake never answered.
    public var stallsHandshake = false
    /// After so many requests the next one finds nobody: nothing is sent or read any more, PING included, and the
    /// connection stays open.
    public var stallsAfter: Int?
    /// How the connection ends without a word.
    public var breakage: ConnectionBreakage?
    /// How the connection ends in good order.
    public var goAway: ScriptedGoAway?
    /// Changes of SETTINGS_MAX_CONCURRENT_STREAMS, in ascending order of their requests.
    public var streamLimits: [StreamLimitStep] = []
    /// Every request of this number is refused with REFUSED_STREAM: not processed, safe to send again (RFC 9113 §8.7).
    public var refusesEvery: Int?
    /// Requests whose streams are reset in place of an answer.
    public var streamReset: ScriptedStreamReset?
    /// How long each answer is held back, on top of everything else that delays it.
    public var latency: AnswerLatency?
    /// Makes 403 ExpiredProviderToken stick to the connection.
    public var providerTokenExpiry: ProviderTokenExpiry?
    /// How many different provider tokens are taken on the connection; further ones are answered 429
    /// TooManyProviderTokenUpdates, and the first ones go on being good.
    public var maximumProviderTokens: Int?
    /// Whether NIO's limiter of stream resets is on; `nil` for what ``APNsSimulatorConfiguration/limitsStreamResets``
    /// says.
    public var limitsStreamResets: Bool?

    /// A connection that behaves well, to be changed.
    ///
    /// - Parameter count: how many connections it is for; `nil` for all that follow.
    public init(count: Int? = 1) {
        self.count = count
    }
}
