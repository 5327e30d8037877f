internal import Messaging

/// What a failed request says about the host that was asked.
enum HostTrouble: Hashable, Sendable {
    /// It asks to be left alone, perhaps for so long, or cannot be reached.
    case certain(retryAfter: Duration?)
    /// It may be this request's fault, unless others fare the same.
    case suspected
}

/// When a host that is in trouble may be asked: not at all for a time that grows with each failure, then with a single
/// request, and only when that has gone well by everybody. Pure; times are since any moment.
struct HostBackoff: Sendable {
    /// Who asks: the gateway itself, or somebody else through it, who may choose what is asked for.
    enum Asker: Hashable, Sendable {
        case gateway, visitor
    }

    /// The leave to make one request, to be given back with what came of it.
    struct Admission: Hashable, Sendable {
        let asker: Asker
        fileprivate let period: Int
    }

    private enum State {
        case open
        case closed(until: Duration)
        case probing
    }

    /// How many suspicions in a row, of whatever players, are a certainty.
    static let patience = 5
    /// The pauses double from the first to the last, and each is between half of that and all.
    static let policy = RetryPolicy(base: .seconds(2), maximum: .seconds(300))
    /// For how long a host must do well before its next pause is a short one again.
    private static let calm = Duration.seconds(60)
    /// How long after a pause the gateway has to make the first request; when it makes none, a visitor may.
    static let precedence = Duration.seconds(60)

    private var state = State.open
    /// Counts the pauses: what was asked before one says nothing about the host after it.
    private var period = 0
    private var suspicions = 0
    private var pauses = 0
    private var openedAt = Duration.zero

    /// nil while the host is to be left alone.
    mutating func admit(_ asker: Asker = .gateway, at now: Duration) -> Admission? {
        let wait = asker == .visitor ? Self.precedence : .zero
        switch state {
        case .open: break
        case .closed(let until) where now >= until + wait: state = .probing
        case .closed, .probing: return nil
        }
        return Admission(asker: asker, period: period)
    }

    /// Whether no pause has begun since a request was admitted.
    func isCurrent(_ admission: Admission) -> Bool { admission.period == period }

    /// - Returns: whether this ends a pause.
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

    /// What a visitor's request makes suspect may be what the visitor has chosen, and says nothing.
    ///
    /// - Parameter jitter: evenly spread in 0..<1.
    /// - Returns: how long the pause is, when one begins.
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

    /// The request was not made, or nobody waited for what came of it.
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
