public import Foundation

/// The content of a run's card on the lock screen: the `ContentState` of the app's `RunActivityAttributes`.
///
/// The gateway sends it as the system decodes it, by a `JSONDecoder` without strategies. Members that a later version
/// of the gateway adds are ignored, and a state that this version does not know is kept.
public struct RunCardState: Codable, Hashable, Sendable {
    /// The activity of a run. Later versions of the gateway may add some.
    public struct Phase: RawRepresentable, Codable, Hashable, Sendable {
        /// The gateway's word.
        public let rawValue: String

        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The run goes on.
        public static let running = Phase(rawValue: "running")
        /// Somebody is needed.
        public static let waiting = Phase(rawValue: "waiting")
        /// The run has succeeded.
        public static let finished = Phase(rawValue: "finished")
        /// The run has failed.
        public static let failed = Phase(rawValue: "failed")
        /// The run was given up.
        public static let cancelled = Phase(rawValue: "cancelled")

        /// `true` if the card has ended.
        public var isEnd: Bool { [.finished, .failed, .cancelled].contains(self) }
    }

    /// A question that a person decides on the card.
    public struct Approval: Codable, Hashable, Sendable {
        /// The approval's id, for ``ApprovalDecider``.
        public let id: String
        private let expiresAt: Int64

        private enum CodingKeys: String, CodingKey {
            case id
            case expiresAt = "expires_at"
        }

        /// Makes a question, for previews and tests.
        public init(id: String, expiry: Date) {
            self.id = id
            expiresAt = Int64(expiry.timeIntervalSince1970)
        }

        /// The time after which no decision is taken.
        public var expiry: Date { Date(timeIntervalSince1970: TimeInterval(expiresAt)) }
    }

    /// The activity of the run.
    public let phase: Phase
    /// The step that the run is at; `nil` if it is not known.
    public let step: String?
    /// The progress from 0 to 100; `nil` if it is not known.
    public let percentage: Int?
    /// A line of text; `nil` if there is none.
    public let text: String?
    /// The question that a person has to decide; `nil` if there is none.
    public let approval: Approval?
    private let startedAt: Int64
    private let updatedAt: Int64

    private enum CodingKeys: String, CodingKey {
        case phase = "state"
        case step, percentage, text, approval
        case startedAt = "started_at"
        case updatedAt = "updated_at"
    }

    /// Makes a state, for previews and tests.
    public init(
        phase: Phase, step: String? = nil, percentage: Int? = nil, text: String? = nil, approval: Approval? = nil,
        start: Date, update: Date
    ) {
        self.phase = phase
        self.step = step
        self.percentage = percentage
        self.text = text
        self.approval = approval
        startedAt = Int64(start.timeIntervalSince1970)
        updatedAt = Int64(update.timeIntervalSince1970)
    }

    /// The beginning of the run.
    public var start: Date { Date(timeIntervalSince1970: TimeInterval(startedAt)) }
    /// The time of the last change.
    public var update: Date { Date(timeIntervalSince1970: TimeInterval(updatedAt)) }
    /// The progress from 0 to 1; `nil` if it is not known.
    public var fraction: Double? { percentage.map { Double(min(max($0, 0), 100)) / 100 } }

    /// Returns the question for which a card shows buttons; `nil` if there is none, or no decision is taken any more.
    public func question(at time: Date) -> Approval? {
        guard let approval, approval.expiry > time else { return nil }
        return approval
    }
}
