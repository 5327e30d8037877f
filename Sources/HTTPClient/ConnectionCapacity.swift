/// The number of requests that a connection may have in progress. These are rules without I/O.
///
/// A connection starts with one request. After its first response it accepts as many as the limit allows: only then
/// is it known whether the server speaks HTTP/2, and how many streams it allows. If the first response does not
/// arrive, the other requests do not have to wait for it: after a while the pool opens another connection.
struct ConnectionCapacity {
    typealias Instant = ContinuousClock.Instant

    private let streamLimit: Int
    /// The time that other requests wait for the first response before it is better to open another connection.
    private let patience: Duration
    private var isProven = false
    /// The time since which an unproven connection waits for its first response.
    private var onTrialSince: Instant?
    private var lastAnswer: Instant?
    private(set) var idleSince: Instant
    private(set) var inFlight = 0
    /// `true` if the connection accepts no more requests, and closes when it has none.
    private(set) var isRetired = false
    /// The version that the server speaks; `nil` before the first response. HTTP/1.1 allows one request at a time.
    private(set) var version: HTTPVersion?

    init(streamLimit: Int, patience: Duration, now: Instant) {
        self.streamLimit = streamLimit
        self.patience = patience
        idleSince = now
    }

    /// The number of further requests that the connection accepts.
    var room: Int { isRetired ? 0 : max(0, capacity - inFlight) }

    /// Returns `true` if the first response is so late that other requests should use another connection.
    func isSuspect(at now: Instant) -> Bool {
        !isProven && inFlight > 0 && onTrialSince.map { $0 + patience <= now } ?? false
    }

    /// `true` if the connection can be closed.
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

    /// Records that a request started at `start` has failed.
    ///
    /// After a failure libcurl may use a new connection about which nothing is known, so the limit is one request
    /// again. If a request timed out and no other response arrived in the meantime, the server is considered dead and
    /// the connection is retired. Without this, libcurl would send requests to a silent server until the kernel ends
    /// the connection.
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

    mutating func retire() { isRetired = true }

    private mutating func finished(at now: Instant) {
        inFlight -= 1
        if inFlight == 0 { idleSince = now }
    }
}
