import Messaging

/// The failure of a host that a failed request indicates.
enum HostTrouble: Hashable, Sendable {
    /// The host asks for a pause, possibly of a given length, or cannot be reached.
    case certain(retryAfter: Duration?)
    /// The request itself may be the cause, unless other requests fail too.
    case suspected
}

/// A back-off for a failing host. It first refuses all requests, for a time that grows with each failure. Then it
/// admits a single request, and after that request succeeds it admits all. It has no I/O; times count from an
/// arbitrary moment.
struct HostBackoff: Sendable {
    /// The source of a request: the gateway itself, or a client that calls an endpoint and may choose the player.
    enum Asker: Hashable, Sendable {
        case gateway, visitor
    }

    /// A permit for one request. The caller reports the outcome with it.
    struct Admission: Hashable, Sendable {
        let asker: Asker
        fileprivate let period: Int
    }

    private enum State {
        case open
        case closed(until: Duration)
        case probing
    }

    /// The number of suspected failures in a row, for any players, that count as certain.
    static let patience = 5
    /// The policy of the pauses. They double from the first to the longest, and jitter shortens each by up to a half.
    static let policy = RetryPolicy(base: .seconds(2), maximum: .seconds(300))
    /// The time that a host must work before its next pause is short again.
    private static let calm = Duration.seconds(60)
    /// The time after a pause that is reserved for the gateway's request; after it, a visitor's request may be first.
    static let precedence = Duration.seconds(60)

    private var state = State.open
    /// The number of pauses so far. A request from before a pause says nothing about the host after it.
    private var period = 0
    private var suspicions = 0
    private var pauses = 0
    private var openedAt = Duration.zero

    /// Returns a permit, or `nil` during a pause.
    mutating func admit(_ asker: Asker = .gateway, at now: Duration) -> Admission? {
        let wait = asker == .visitor ? Self.precedence : .zero
        switch state {
        case .open: break
        case .closed(let until) where now >= until + wait: state = .probing
        case .closed, .probing: return nil
        }
        return Admission(asker: asker, period: period)
    }

    /// Returns `true` if no pause has begun since the request was admitted.
    func isCurrent(_ admission: Admission) -> Bool { admission.period == period }

    /// - Returns: `true` if this ends a pause.
    mutating func succeeded(_ admission: Admission, at now: Duration) -> Bool {
        guard admission.period == period else { return false }
        suspicions = 0
        if case .probing = state {
            state = .open
            openedAt = now
            return true
        }
        if now - openedAt >= Self.calm { pauses = 0 }
        return false
    }

    /// Notes a failed request. A suspected failure of a visitor's request is ignored, because the visitor's choice
    /// may be the cause.
    ///
    /// - Parameter jitter: A random number, evenly distributed in 0..<1.
    /// - Returns: The length of the pause that begins, or `nil` if none does.
    mutating func failed(
        _ trouble: HostTrouble, _ admission: Admission, at now: Duration, jitter: Double
    ) -> Duration? {
        guard admission.period == period else { return nil }
        if admission.asker == .visitor, trouble == .suspected {
            abandoned(admission, at: now)
            return nil
        }
        suspicions += 1
        guard isEnough(trouble) else { return nil }
        let pause = nextPause(after: trouble, jitter: jitter)
        state = .closed(until: now + pause)
        period += 1
        suspicions = 0
        return pause
    }

    /// Notes that the request was not sent, or that its caller stopped waiting.
    mutating func abandoned(_ admission: Admission, at now: Duration) {
        if admission.period == period, case .probing = state { state = .closed(until: now) }
    }

    private func isEnough(_ trouble: HostTrouble) -> Bool {
        if case .probing = state { return true }
        return trouble != .suspected || suspicions >= Self.patience
    }

    private mutating func nextPause(after trouble: HostTrouble, jitter: Double) -> Duration {
        pauses += 1
        let grown = Self.policy.delay(afterAttempts: pauses, jitter: jitter)
        guard case .certain(let retryAfter?) = trouble else { return grown }
        return max(grown, retryAfter + .seconds(jitter))
    }
}
