/// How many requests a connection may carry now: the rules, without any I/O.
///
/// A connection starts with one request and takes as many as the limit allows once it has answered one: only then is it
/// known whether the server speaks HTTP/2, and how many streams it allows. Where that first answer does not come, the others
/// need not wait for it: after a while the pool opens another connection.
struct ConnectionState {
    typealias Instant = ContinuousClock.Instant

    private let streamLimit: Int
    /// How long the others wait for the first request's answer before it is better to open another connection.
    private let patience: Duration
    private var isProven = false
    /// Since when a connection that is not proven waits for the answer that proves it.
    private var onTrialSince: Instant?
    private var lastAnswer: Instant?
    private(set) var idleSince: Instant
    private(set) var inFlight = 0
    /// Whether it takes no more requests, and is to be closed when it carries none.
    private(set) var isRetired = false
    /// What the server turned out to speak; one request at a time when that is HTTP/1.1.
    private(set) var version: HTTPVersion?

    init(streamLimit: Int, patience: Duration, now: Instant) {
        self.streamLimit = streamLimit
        self.patience = patience
        idleSince = now
    }

    /// How many more requests it takes.
    var room: Int { isRetired ? 0 : max(0, capacity - inFlight) }

    /// Whether its first answer is so late that others had better not wait for it.
    func isDoubtful(at now: Instant) -> Bool {
        !isProven && inFlight > 0 && onTrialSince.map { $0 + patience <= now } ?? false
    }

    /// Whether nothing but closing it is left to do.
    var isFinished: Bool { isRetired && inFlight == 0 }

    private var capacity: Int { isProven && version != .http1 ? streamLimit : 1 }

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
        default:
            if isProven { onTrialSince = now }
            isProven = false
        }
    }

    private mutating func finished(at now: Instant) {
        inFlight -= 1
        if inFlight == 0 { idleSince = now }
    }
}
