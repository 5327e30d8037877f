internal import NIOCore

/// An allowance for events that clients cause: it comes back with time, and useful work adds to it.
struct HTTP2Budget {
    struct Terms: Sendable {
        /// The allowance at the beginning, and the most that time restores.
        var allowance: Double
        /// The allowance that comes back in a second.
        var perSecond: Double
        /// The most that useful work saves up.
        var maximum: Double
    }

    private let terms: Terms
    private var credit: Double
    private var lastRefill: NIODeadline

    init(_ terms: Terms, at now: NIODeadline) {
        self.terms = terms
        credit = terms.allowance
        lastRefill = now
    }

    /// Adds what useful work is worth.
    mutating func earn(_ amount: Double) { credit = min(credit + amount, max(credit, terms.maximum)) }

    /// Pays for an event.
    ///
    /// - Returns: whether there was enough.
    mutating func spend(at now: NIODeadline) -> Bool {
        refill(at: now)
        credit -= 1
        return credit >= 0
    }

    private mutating func refill(at now: NIODeadline) {
        let seconds = Double((now - lastRefill).nanoseconds) / 1e9
        lastRefill = now
        credit = max(credit, min(credit + seconds * terms.perSecond, terms.allowance))
    }
}
