import DocumentStore

/// A limit on the removal of registrations for unknown tokens in one lane, without I/O. It starts again with the
/// process.
///
/// A wrong key, app or environment of ours makes every token unknown, and would remove every registration within a
/// day. Therefore none is removed before a notification of the lane was accepted, nor while the unknown tokens of the
/// last one to two hours are more than a few and more than a fifth of all.
struct RemovalGuard: Sendable {
    private struct Counts {
        var accepted = 0
        var unrecognized = 0
    }

    private var hasAccepted = false
    private var hour: Int64 = 0
    private var current = Counts()
    private var previous = Counts()

    /// The number of registrations that may be removed regardless of their share.
    private static let few = 5

    mutating func record(accepted: Int, unrecognized: Int, at time: Timestamp) {
        turn(to: time.seconds / 3_600)
        hasAccepted = hasAccepted || accepted > 0
        current.accepted += accepted
        current.unrecognized += unrecognized
    }

    /// `true` if registrations of unknown tokens may be removed.
    var allowsRemoval: Bool {
        let unrecognized = current.unrecognized + previous.unrecognized
        let all = unrecognized + current.accepted + previous.accepted
        return hasAccepted && (unrecognized <= Self.few || unrecognized * 5 <= all)
    }

    private mutating func turn(to hour: Int64) {
        guard hour != self.hour else { return }
        previous = hour == self.hour + 1 ? current : Counts()
        current = Counts()
        self.hour = hour
    }
}
