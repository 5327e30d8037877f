internal import DocumentStore

/// Whether tokens that a push service does not know may cost their registrations. Pure.
///
/// A wrong key, app or environment of ours makes every token unknown, and would remove every registration within a day.
/// So none is removed before something of the lane was accepted, nor while the unknown ones of the last hour or two are
/// more than a few, and more than a fifth of all.
struct RemovalGuard: Sendable {
    private struct Counts {
        var accepted = 0
        var doubtful = 0
    }

    private var hasAccepted = false
    private var hour: Int64 = 0
    private var current = Counts()
    private var previous = Counts()

    /// How many may be removed whatever their share.
    private static let few = 5

    mutating func record(accepted: Int, doubtful: Int, at time: Timestamp) {
        turn(to: time.seconds / 3_600)
        hasAccepted = hasAccepted || accepted > 0
        current.accepted += accepted
        current.doubtful += doubtful
    }

    var allowsRemoval: Bool {
        let doubtful = current.doubtful + previous.doubtful
        let all = doubtful + current.accepted + previous.accepted
        return hasAccepted && (doubtful <= Self.few || doubtful * 5 <= all)
    }

    private mutating func turn(to hour: Int64) {
        guard hour != self.hour else { return }
        previous = hour == self.hour + 1 ? current : Counts()
        current = Counts()
        self.hour = hour
    }
}

/// The guards of all lanes. Apps name their own bundle ids, so there is a bound: past it all begin anew, which removes
/// nothing that should stay.
struct RemovalGuards: Sendable {
    private static let maximumCount = 10_000

    private var guards: [Lane: RemovalGuard] = [:]

    subscript(lane: Lane) -> RemovalGuard {
        get { guards[lane] ?? RemovalGuard() }
        set {
            if guards.count >= Self.maximumCount, guards[lane] == nil { guards = [:] }
            guards[lane] = newValue
        }
    }
}
