import DocumentStore
import Messaging

/// The cards of sessions: from a start or a prompt to the stop.
extension Sessions {
    /// Shows an event on the card of its session, before the event is stored: one that is repeated after a crash has no
    /// second effect on it.
    func show(_ report: HookReport, _ session: inout CodingSession) async throws(StoreError) {
        // Only a start and a prompt start a card; other events change one that is there.
        guard let cards, session.showsCard || SessionCard.starts(report.event),
            let event = SessionCard.event(of: report.event)
        else { return }
        let reach = try await cards.take(event, of: try run(report, session))
        if case .ended = event { session.showsCard = false } else { session.showsCard = reach.card != nil }
    }

    private func run(_ report: HookReport, _ session: CodingSession) throws(StoreError) -> CardRun {
        CardRun(
            source: Self.source, name: report.event.sessionID,
            title: session.title?.shortened(to: SessionCard.longestTitle) ?? SessionCard.titleWithoutPrompt,
            attributes: ["session_id": report.event.sessionID, "device_id": report.device.id],
            devices: phones.collection, registrationFields: DeviceRegistry.fields, mayGoOn: true)
    }
}

/// The part of a session's events that a card shows.
enum SessionCard {
    static let titleWithoutPrompt = "Coding session"
    /// The maximum length of a title, in UTF-16 units.
    static let longestTitle = 120

    /// Returns `true` for an event with which a session begins, or goes on after a stop.
    static func starts(_ event: HookEvent) -> Bool { ["SessionStart", "UserPromptSubmit"].contains(event.name) }

    /// Returns the event of a card; `nil` for an event that no card shows.
    static func event(of event: HookEvent) -> CardEvent? {
        switch event.name {
        case "SessionStart", "UserPromptSubmit": .started(CardProgress(text: line(event.prompt)))
        case "PreToolUse", "PostToolUse":
            .progress(CardProgress(step: event.toolName?.shortened(to: CardState.maximumStep)))
        case "Stop": .ended(.finished, text: line(event.message))
        case "SessionEnd": .ended(.finished, text: nil)
        default:
            // A permission, and a session that is idle.
            SessionNotice(event).map { .progress(CardProgress(isWaiting: true, text: line($0.body))) }
        }
    }

    private static func line(_ text: String?) -> String? { text?.shortened(to: CardState.maximumText) }
}
