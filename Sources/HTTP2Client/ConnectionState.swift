internal import NIOCore

/// The number of requests that a connection may carry: the rules, without any I/O.
///
/// A connection starts with one request and takes as many as the server allows once that was answered well. Apple's servers
/// allow a single stream until a provider token has been accepted. Where the first answer does not come, the others need not
/// wait for it: after a while the pool opens another connection.
struct ConnectionState {
    private let patience: TimeAmount
    private let openedAt: NIODeadline
    /// The number of streams that the configuration allows.
    private let streamLimit: Int
    /// The number of streams that the server allows; `nil` before it has said so.
    var serverLimit: Int?
    private var isProven = false
    /// The time since which a connection that is not proven waits for the answer that proves it.
    private var onTrialSince: NIODeadline?
    private var lastAnswer: NIODeadline?
    private(set) var inFlight = 0
    /// A Boolean value indicating whether it takes no more requests, and is to be closed when it carries none.
    private(set) var isRetired = false
    /// The time at which anything was last heard of the server.
    private var lastHeard: NIODeadline
    /// The time at which the server was asked for a sign of life; `nil` if it has given one since.
    private var pingedAt: NIODeadline?

    init(streamLimit: Int, patience: TimeAmount, now: NIODeadline) {
        self.streamLimit = streamLimit
        self.patience = patience
        openedAt = now
        lastHeard = now
    }

    /// The number of further requests that it takes.
    var room: Int { isRetired ? 0 : max(0, capacity - inFlight) }

    /// The number of requests that it may carry once it is proven.
    var limit: Int { min(streamLimit, serverLimit ?? streamLimit) }

    private var capacity: Int { isProven ? limit : min(1, limit) }

    /// Returns whether its first answer is so late that other requests had better not wait for it.
    func isDoubtful(at now: NIODeadline) -> Bool {
        !isProven && inFlight > 0 && onTrialSince.map { $0 + patience <= now } ?? false
    }

    /// A Boolean value indicating whether nothing but closing it is left to do.
    var isFinished: Bool { isRetired && inFlight == 0 }

    /// Returns whether a request made at an instant that asks for a new connection may use this one.
    func isNew(for instant: NIODeadline) -> Bool { lastAnswer == nil || openedAt >= instant }

    mutating func started(at now: NIODeadline) {
        if inFlight == 0 {
            onTrialSince = now
            // A silence before this was nobody's fault.
            lastHeard = now
        }
        inFlight += 1
    }

    /// - Parameter isGood: whether the server has taken the sender for who it says it is.
    mutating func answered(isGood: Bool, at now: NIODeadline) {
        inFlight -= 1
        lastAnswer = now
        if isGood { isProven = true }
    }

    /// Notes that a request is no longer carried, without an answer.
    mutating func abandoned() { inFlight -= 1 }

    /// Notes that a request's time was up. A connection on which nothing was answered since it began is given up: its server
    /// may be there and do nothing.
    mutating func timedOut(startedAt start: NIODeadline) {
        inFlight -= 1
        if lastAnswer.map({ $0 < start }) ?? true { isRetired = true }
    }

    mutating func retire() { isRetired = true }

    // MARK: Signs of life

    mutating func heard(at now: NIODeadline) {
        lastHeard = now
        pingedAt = nil
    }

    /// Returns what to do about a server that is silent.
    ///
    /// - Parameters:
    ///   - patience: the time without a word while a request waits, and the time for an answer to a PING.
    ///   - idleTime: the same while no request waits.
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
