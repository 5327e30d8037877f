package import JSON

/// The state of a card, which shows one run on the lock screen: a value that events change, without I/O and without a
/// clock.
package struct CardState: Hashable, Sendable {
    /// The activity of the run. The raw values are those of the content.
    package enum Phase: String, Hashable, Sendable, CaseIterable {
        case running
        /// Somebody is needed.
        case waiting
        case finished, failed, cancelled

        /// `true` if the card has ended.
        package var isEnd: Bool {
            switch self {
            case .running, .waiting: false
            case .finished, .failed, .cancelled: true
            }
        }

        fileprivate init(_ result: CardResult) {
            self =
                switch result {
                case .finished: .finished
                case .failed: .failed
                case .cancelled: .cancelled
                }
        }
    }

    /// The push that tells phones of a change.
    package enum Push: Hashable, Sendable {
        /// - Parameter isUrgent: `true` if somebody is needed who was not needed before.
        case update(isUrgent: Bool)
        case end
        /// The state is to be stored; people see no difference.
        case unseen
    }

    /// The maximum length of the text, in UTF-16 units.
    package static let maximumText = 120
    /// The maximum length of the step, in UTF-16 units.
    package static let maximumStep = 60
    /// The number of open approvals that a card remembers. It shows the newest.
    static let maximumApprovals = 8
    /// The time after which unchanged progress is pushed again, so that a run that goes on does not look out of date,
    /// in seconds.
    static let renewal: Int64 = 60

    /// The activity of the run.
    package private(set) var phase: Phase
    /// The step that the run is at.
    package private(set) var step: String?
    /// The progress from 0 to 100.
    package private(set) var percentage: Int64?
    /// A line of text, which is shown while no question is open.
    package private(set) var text: String?
    /// The open approvals, the newest last.
    package private(set) var approvals: [CardApproval]
    /// The beginning of the run, in seconds since 1970.
    package let startedAt: Int64
    /// The position of the last report of progress; `nil` if none has had one.
    private(set) var sequence: Int64?
    /// The time of the last change, in seconds since 1970. It never goes back, because a phone ignores older content.
    package private(set) var updatedAt: Int64

    /// Creates the state of a new card; `nil` if the event starts none.
    package init?(startedBy event: CardEvent, at time: Int64) {
        guard event.startsCard else { return nil }
        self.init(phase: .running, startedAt: time, updatedAt: time)
        _ = take(event, at: time)
    }

    init(
        phase: Phase, step: String? = nil, percentage: Int64? = nil, text: String? = nil,
        approvals: [CardApproval] = [], sequence: Int64? = nil, startedAt: Int64, updatedAt: Int64
    ) {
        self.phase = phase
        self.step = step
        self.percentage = percentage
        self.text = text
        self.approvals = approvals
        self.sequence = sequence
        self.startedAt = startedAt
        self.updatedAt = updatedAt
    }

    // MARK: Events

    /// Takes an event.
    ///
    /// - Returns: the push that tells of it; `nil` if it changes nothing. Nothing changes a card that has ended.
    package mutating func take(_ event: CardEvent, at time: Int64) -> Push? {
        guard !phase.isEnd, !isLate(event) else { return nil }
        var next = self
        switch event {
        case .started(let progress), .progress(let progress): next.go(on: progress)
        case .approvalNeeded(let approval): next.ask(approval)
        case .approvalClosed(let id, let text): next.close(id, text)
        case .ended(let result, let text): next.end(result, text)
        }
        guard next != self || event.isProgress && time - updatedAt >= Self.renewal else { return nil }
        guard next.content != content || time - updatedAt >= Self.renewal || next.phase.isEnd else {
            self = next
            return .unseen
        }
        let push: Push = next.phase.isEnd ? .end : .update(isUrgent: next.needsSomebody(whoWasNotNeededIn: self))
        next.updatedAt = max(time, updatedAt)
        self = next
        return push
    }

    /// Returns `true` for progress that was reported before the last one.
    private func isLate(_ event: CardEvent) -> Bool {
        guard let last = sequence, let own = event.progress?.sequence else { return false }
        return own < last
    }

    private mutating func go(on progress: CardProgress) {
        let hasWaited = phase == .waiting
        phase = progress.isWaiting || !approvals.isEmpty ? .waiting : .running
        sequence = progress.sequence ?? sequence
        step = progress.step ?? step
        percentage = progress.percentage ?? percentage
        // The text of a wait is a question, which has an answer now.
        text = progress.text ?? (hasWaited && phase == .running ? nil : text)
    }

    private mutating func ask(_ approval: CardApproval) {
        guard !approvals.contains(where: { $0.id == approval.id }) else { return }
        approvals = Array((approvals + [approval]).suffix(Self.maximumApprovals))
        phase = .waiting
    }

    private mutating func close(_ id: String, _ text: String?) {
        guard approvals.contains(where: { $0.id == id }) else { return }
        approvals.removeAll { $0.id == id }
        if approvals.isEmpty { phase = .running }
        self.text = text
    }

    private mutating func end(_ result: CardResult, _ text: String?) {
        phase = Phase(result)
        approvals = []
        if result == .finished, percentage != nil { percentage = 100 }
        self.text = text
    }

    private func needsSomebody(whoWasNotNeededIn earlier: CardState) -> Bool {
        guard phase == .waiting else { return false }
        let asked = approvals.last.map { newest in !earlier.approvals.contains { $0.id == newest.id } } ?? false
        return earlier.phase != .waiting || asked
    }
}

extension CardEvent {
    /// The progress in the event; `nil` for another event.
    fileprivate var progress: CardProgress? {
        switch self {
        case .started(let progress), .progress(let progress): progress
        case .approvalNeeded, .approvalClosed, .ended: nil
        }
    }

    /// `true` if a repetition shows that the run goes on.
    fileprivate var isProgress: Bool { progress != nil }
}

/// The content.
extension CardState {
    /// The content as the app decodes it. Times are numbers of seconds since 1970, because the system decodes content
    /// without a strategy for dates. Parts that are missing are left out: a phone drops content with `null`.
    package var content: JSONObject {
        var content: JSONObject = ["state": .string(phase.rawValue)]
        content["step"] = step.map(JSONValue.string)
        content["percentage"] = percentage.map(JSONValue.integer)
        content["text"] = line.map(JSONValue.string)
        content["started_at"] = .integer(startedAt)
        content["updated_at"] = .integer(updatedAt)
        content["approval"] = approvals.last.map { ["id": .string($0.id), "expires_at": .integer($0.expiresAt)] }
        return content
    }

    /// The content as texts by their names, for clients whose data has nothing else.
    package var texts: [String: String] {
        var texts = ["state": phase.rawValue, "started_at": "\(startedAt)", "updated_at": "\(updatedAt)"]
        texts["step"] = step
        texts["percentage"] = percentage.map { "\($0)" }
        texts["text"] = line
        texts["approval_id"] = approvals.last?.id
        texts["approval_expires_at"] = (approvals.last?.expiresAt).map { "\($0)" }
        return texts
    }

    /// The line that people see: the newest open question, else the text. A report beside an open question does not
    /// replace it, and the buttons are always those of the question that is shown.
    private var line: String? { approvals.last?.text ?? text }

    /// Returns the time at which the content is out of date, in seconds since 1970; `nil` if that never happens. A
    /// question is out of date when its answer is taken no longer.
    ///
    /// - Parameter seconds: the time for which a run may say nothing.
    package func staleDate(after seconds: Int64) -> Int64? {
        switch phase {
        case .running: updatedAt + seconds
        case .waiting: approvals.last?.expiresAt
        case .finished, .failed, .cancelled: nil
        }
    }

    /// The order among the cards of an app: those that need somebody come first.
    package var relevanceScore: Double { phase == .waiting ? 100 : 50 }

    /// The state in one line, for phones and browsers that show no card.
    package var summary: String {
        let word =
            switch phase {
            case .running: "Running"
            case .waiting: "Needs you"
            case .finished: "Finished"
            case .failed: "Failed"
            case .cancelled: "Cancelled"
            }
        let share = percentage.map { "\($0) %" }
        let parts = [line == nil || phase != .running ? word : nil, phase.isEnd ? nil : step, share, line]
        return parts.compactMap(\.self).joined(separator: " · ")
    }
}
