/// An event of a run that its card shows.
package enum CardEvent: Hashable, Sendable {
    /// The run begins.
    case started(CardProgress)
    /// The run goes on.
    case progress(CardProgress)
    /// The run waits for a person's decision.
    case approvalNeeded(CardApproval)
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
    /// The position among the reports of the run; `nil` if it is not known. A report with a lower one than that of the
    /// last report came late, and has no effect.
    package var sequence: Int64?

    package init(
        isWaiting: Bool = false, step: String? = nil, percentage: Int64? = nil, text: String? = nil,
        sequence: Int64? = nil
    ) {
        self.isWaiting = isWaiting
        self.step = step
        self.percentage = percentage
        self.text = text
        self.sequence = sequence
    }
}

/// A question that a card lets a person answer.
package struct CardApproval: Hashable, Sendable {
    /// The approval's id, by which it is answered.
    package let id: String
    /// The time after which no answer is taken, in seconds since 1970.
    package let expiresAt: Int64
    /// The question in one line; `nil` if it is not known.
    package let text: String?

    package init(id: String, expiresAt: Int64, text: String? = nil) {
        self.id = id
        self.expiresAt = expiresAt
        self.text = text
    }
}

/// The result of a run. The raw values are those of ``CardState/Phase``.
package enum CardResult: String, Hashable, Sendable, CaseIterable {
    case finished, failed, cancelled
}
