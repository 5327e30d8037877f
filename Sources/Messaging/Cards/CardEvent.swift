/// An event of a run that its card shows.
package enum CardEvent: Hashable, Sendable {
    /// The run begins.
    case started(CardProgress)
    /// The run goes on.
    case progress(CardProgress)
    /// The run waits for a person's decision.
    case approvalNeeded(CardApproval, text: String?)
    /// An approval was decided, or nobody can decide it any more.
    case approvalClosed(id: String, text: String?)
    /// The run has ended.
    case ended(CardResult, text: String?)

    /// `true` if the event may start a card.
    package var startsCard: Bool {
        switch self {
        case .started, .progress, .approvalNeeded: true
        case .approvalClosed, .ended: false
        }
    }
}

/// The progress of a run. A part that is `nil` stays as it was.
package struct CardProgress: Hashable, Sendable {
    /// `true` if the run waits for a person.
    package var isWaiting: Bool
    /// The step that the run is at.
    package var step: String?
    /// The progress from 0 to 100.
    package var percentage: Int64?
    /// A line of text, of at most ``CardState/maximumText`` UTF-16 units.
    package var text: String?

    package init(isWaiting: Bool = false, step: String? = nil, percentage: Int64? = nil, text: String? = nil) {
        self.isWaiting = isWaiting
        self.step = step
        self.percentage = percentage
        self.text = text
    }
}

/// A question that a card lets a person answer.
package struct CardApproval: Hashable, Sendable {
    /// The approval's id, by which it is answered.
    package let id: String
    /// The time after which no answer is taken, in seconds since 1970.
    package let expiresAt: Int64

    package init(id: String, expiresAt: Int64) {
        self.id = id
        self.expiresAt = expiresAt
    }
}

/// The result of a run. The raw values are those of ``CardState/Phase``.
package enum CardResult: String, Hashable, Sendable, CaseIterable {
    case finished, failed, cancelled
}
