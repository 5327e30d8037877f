/// How many requests a connection may carry now: the rules, without any I/O.
///
/// A connection starts with one request and takes as many as the limit allows once it has answered one. Apple's servers
/// allow a single stream until a provider token has been accepted and refuse the streams of whoever does not wait;
/// other servers say how many they allow only after the handshake, when a burst would already be on its way. A first
/// request whose answer does not come keeps the others waiting for half a second at most: the server's limit has been
/// heard by then, and libcurl keeps to it.
struct ConnectionState {
    typealias Instant = ContinuousClock.Instant

    private let streamLimit: Int
    private let openedAt: Instant
    private var isProven = false
    /// Since when the one request of a connection that is not proven waits for its answer.
    private var onTrialSince: Instant?
    private var lastAnswer: Instant?
    private(set) var idleSince: Instant
    private(set) var inFlight = 0
    /// Whether it takes no more requests, and is to be closed when it carries none.
    private(set) var isRetired = false
    /// What the server turned out to speak; one request at a time when that is HTTP/1.1.
    private(set) var version: HTTPVersion?

    init(streamLimit: Int, now: Instant) {
        self.streamLimit = streamLimit
        openedAt = now
        idleSince = now
    }

    /// How long the first request may keep the others waiting.
    private static let trial = Duration.milliseconds(500)

    /// How many more requests it takes at `now`.
    func room(at now: Instant) -> Int { isRetired ? 0 : max(0, capacity(at: now) - inFlight) }

    /// Whether nothing but closing it is left to do.
    var isFinished: Bool { isRetired && inFlight == 0 }

    private func capacity(at now: Instant) -> Int {
        let isTried = isProven || onTrialSince.map { $0 + Self.trial <= now } ?? false
        return isTried && version != .http1 ? streamLimit : 1
    }

    /// Whether a request made at `instant` that asks for a new connection may use this one.
    func isNew(for instant: Instant) -> Bool {
        lastAnswer == nil || openedAt >= instant
    }

    mutating func started(at now: Instant) {
        if inFlight == 0 { onTrialSince = now }
        inFlight += 1
    }

    mutating func answered(_ version: HTTPVersion, at now: Instant) {
        finished(at: now)
        self.version = version
        lastAnswer = now
        isProven = true
    }

    /// Notes that a request started at `start` has failed.
    ///
    /// After a failure libcurl may be on a fresh connection of which nothing is known: one request at a time again.
    /// When a request ran out of time and nothing else was answered meanwhile, the peer is taken for dead: it says
    /// nothing, so libcurl would keep sending it requests until the kernel gives up on it.
    mutating func failed(_ kind: HTTPClientError.Kind, startedAt start: Instant, at now: Instant) {
        finished(at: now)
        switch kind {
        case .cancelled, .responseTooLarge: break
        case .timedOut:
            if lastAnswer.map({ $0 < start }) ?? true { isRetired = true }
        default: isProven = false
        }
    }

    mutating func retire() {
        isRetired = true
    }

    private mutating func finished(at now: Instant) {
        inFlight -= 1
        if inFlight == 0 { idleSince = now }
    }
}
