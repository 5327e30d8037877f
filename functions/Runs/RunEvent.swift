import DocumentStore
import JSON
import Messaging

/// An event of a run, as a server reports it: `{id, run_id, seq, type, data, created_at}`.
struct RunEvent: Sendable {
    enum Kind: Sendable {
        /// - Parameter expiresAt: The time after which no decision is taken; `nil` for the default.
        case approvalRequested(approvalID: String, expiresAt: Timestamp?)
        case approvalResolved(approvalID: String)
        case runCompleted
        case runFailed(error: String?)
        case runCancelled
        /// Events that only the run's card shows.
        case runStarted(CardProgress)
        case runProgress(CardProgress)
        /// An event without a notification.
        case other
    }

    let id: String
    let runID: String
    /// The event's position in its run; `nil` if the server does not send it.
    let seq: Int64?
    let type: String
    let kind: Kind
    let texts: RunTexts

    init(_ object: JSONObject) throws(RunsError) {
        id = try Self.required("id", in: object)
        runID = try Self.required("run_id", in: object)
        type = try Self.required("type", in: object)
        seq = object["seq"]?.integer
        let data = LooseFields(object["data"]?.object ?? [:])
        switch type {
        case "approval_requested":
            kind = .approvalRequested(approvalID: try Self.approvalID(in: data), expiresAt: Self.expiry(in: data))
        case "approval_resolved": kind = .approvalResolved(approvalID: try Self.approvalID(in: data))
        case "run_completed": kind = .runCompleted
        case "run_failed": kind = .runFailed(error: data.string("error"))
        case "run_cancelled": kind = .runCancelled
        case "run_started": kind = .runStarted(Self.progress(in: data, seq))
        case "run_progress": kind = .runProgress(Self.progress(in: data, seq))
        default: kind = .other
        }
        texts = RunTexts(data)
    }

    private static func required(_ name: String, in object: JSONObject) throws(RunsError) -> String {
        guard let text = LooseFields(object).string(name) else { throw .invalidInput("\(name) is required") }
        return text
    }

    /// Returns the progress in an event, whose texts are cut to the size of a card.
    private static func progress(in data: LooseFields, _ seq: Int64?) -> CardProgress {
        CardProgress(
            isWaiting: data.string("state") == CardState.Phase.waiting.rawValue,
            step: data.string("step")?.shortened(to: CardState.maximumStep),
            percentage: data.integer("percentage").map { min(max($0, 0), 100) },
            text: data.string("text")?.shortened(to: CardState.maximumText), sequence: seq)
    }

    /// Returns the time in `expires_at`, in seconds since 1970; `nil` if there is none.
    private static func expiry(in data: LooseFields) -> Timestamp? {
        guard let seconds = data.integer("expires_at") else { return nil }
        let (microseconds, isTooLate) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return isTooLate ? .distantFuture : Timestamp(microseconds: microseconds)
    }

    private static func approvalID(in data: LooseFields) throws(RunsError) -> String {
        guard let id = data.string("approval_id") else { throw .invalidInput("data.approval_id is required") }
        return id
    }
}

extension RunEvent.Kind {
    /// `true` if the run's approvals can no longer be answered after the event.
    var endsRun: Bool {
        switch self {
        case .runCompleted, .runFailed, .runCancelled: true
        case .approvalRequested, .approvalResolved, .runStarted, .runProgress, .other: false
        }
    }

    var approvalID: String? {
        switch self {
        case .approvalRequested(let id, _), .approvalResolved(let id): id
        case .runCompleted, .runFailed, .runCancelled, .runStarted, .runProgress, .other: nil
        }
    }
}
