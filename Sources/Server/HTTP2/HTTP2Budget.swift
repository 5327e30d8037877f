import NIOCore

/// A budget for events that clients cause. It refills with time, and useful work adds to it.
struct HTTP2Budget {
    struct Terms: Sendable {
        /// The initial credit, and the maximum that time restores.
        var allowance: Double
        /// The credit that time restores per second.
        var perSecond: Double
        /// The maximum credit that useful work can accumulate.
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

    /// Adds credit for useful work.
    mutating func earn(_ amount: Double) { credit = min(credit + amount, max(credit, terms.maximum)) }

    /// Spends credit for an event.
    ///
    /// - Returns: `true` if there was enough credit.
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
