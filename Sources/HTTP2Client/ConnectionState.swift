import NIOCore

/// The number of requests that a connection may have in progress. These are rules without I/O.
///
/// A connection starts with one request. After a good response it accepts as many as the server allows: Apple's
/// servers allow a single stream until they have accepted a provider token. If the first response does not arrive,
/// the other requests do not have to wait for it: after a while the pool opens another connection.
struct ConnectionState {
    private let patience: TimeAmount
    private let openedAt: NIODeadline
    /// The number of streams that the configuration allows.
    private let streamLimit: Int
    /// The number of streams that the server allows; `nil` before its SETTINGS.
    var serverLimit: Int?
    private var isProven = false
    /// The time since which an unproven connection waits for its first good response.
    private var onTrialSince: NIODeadline?
    private var lastAnswer: NIODeadline?
    private(set) var inFlight = 0
    /// `true` if the connection accepts no more requests, and closes when it has none.
    private(set) var isRetired = false
    /// The time of the last data from the server.
    private var lastHeard: NIODeadline
    /// The time of the last PING; `nil` if data has arrived since.
    private var pingedAt: NIODeadline?

    init(streamLimit: Int, patience: TimeAmount, now: NIODeadline) {
        self.streamLimit = streamLimit
        self.patience = patience
        openedAt = now
        lastHeard = now
    }

    /// The number of further requests that the connection accepts.
    var room: Int { isRetired ? 0 : max(0, capacity - inFlight) }

    /// The number of requests that the connection may have after its first good response.
    var limit: Int { min(streamLimit, serverLimit ?? streamLimit) }

    private var capacity: Int { isProven ? limit : min(1, limit) }

    /// Returns `true` if the first response is so late that other requests should use another connection.
    func isSuspect(at now: NIODeadline) -> Bool {
        !isProven && inFlight > 0 && onTrialSince.map { $0 + patience <= now } ?? false
    }

    /// `true` if the connection can be closed.
    var isFinished: Bool { isRetired && inFlight == 0 }

    /// Returns `true` if a request that requires a new connection, made at the instant, may use this one.
    func isNew(for instant: NIODeadline) -> Bool { lastAnswer == nil || openedAt >= instant }

    mutating func started(at now: NIODeadline) {
        if inFlight == 0 {
            onTrialSince = now
            // A silence before this does not count, because no response was due.
            lastHeard = now
        }
        inFlight += 1
    }

    /// Records a response.
    ///
    /// - Parameter isGood: `true` if the server has accepted the sender's identity.
    mutating func answered(isGood: Bool, at now: NIODeadline) {
        inFlight -= 1
        lastAnswer = now
        if isGood { isProven = true }
    }

    /// Records that a request ended without a response.
    mutating func abandoned() { inFlight -= 1 }

    /// Records that a request timed out. If no response has arrived since it began, the connection is retired: its
    /// server may be reachable but inactive.
    mutating func timedOut(startedAt start: NIODeadline) {
        inFlight -= 1
        if lastAnswer.map({ $0 < start }) ?? true { isRetired = true }
    }

    mutating func retire() { isRetired = true }

    // MARK: Silence

    mutating func heard(at now: NIODeadline) {
        lastHeard = now
        pingedAt = nil
    }

    /// Returns the action for a silent server, if one is due.
    ///
    /// - Parameters:
    ///   - patience: the permitted silence while a request waits, and the time for the answer to a PING.
    ///   - idleTime: the permitted silence while no request waits.
    mutating func check(at now: NIODeadline, patience: TimeAmount, idleTime: TimeAmount) -> Silence {
        if let pingedAt { return now - pingedAt >= patience ? .isDead : .isShort }
        guard now - lastHeard >= (inFlight > 0 ? patience : idleTime) else { return .isShort }
        pingedAt = now
        return .wantsPing
    }

    enum Silence {
        case isShort, wantsPing, isDead
    }
}
