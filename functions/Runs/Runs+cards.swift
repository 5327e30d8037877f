import DocumentStore
import Messaging

/// The cards of runs. A card is changed in the commit of its event; where a notification is in that commit, before it,
/// so a crash in between repeats the change, which then has no effect.
extension Runs {
    var approvalCards: ApprovalCards { ApprovalCards(cards: cards, store: store) }

    /// Shows the progress of a run. Progress that comes after the run's end has no effect.
    func show(_ progress: CardEvent, _ event: RunEvent, _ known: Knowledge) async throws(StoreError) {
        let writes = try writes(for: event, known)
        guard let cards, !known.run.isOver(for: event) else {
            _ = try await store.commit(writes)
            return
        }
        try await cards.take(
            progress, of: try Self.cardRun(event.runID, event.texts.filled(from: known.run.texts)), alongside: writes)
    }

    /// Shows the result of a run.
    func endCard(of event: RunEvent, _ texts: RunTexts) async throws(StoreError) {
        let end: CardEvent
        switch event.kind {
        case .runCompleted: end = .ended(.finished, text: texts.prompt?.shortened(to: CardState.maximumText))
        case .runFailed(let error): end = .ended(.failed, text: error?.shortened(to: CardState.maximumText))
        case .runCancelled: end = .ended(.cancelled, text: nil)
        case .approvalRequested, .approvalResolved, .runStarted, .runProgress, .other: return
        }
        try await cards?.take(end, of: try Self.cardRun(event.runID, texts))
    }

    /// The title of a run whose events name no repository.
    private static let titleWithoutName = "Run"
    /// The maximum length of a title, in UTF-16 units.
    private static let longestTitle = 120

    /// Returns a run as its card names it.
    static func cardRun(_ id: String, _ texts: RunTexts) throws(StoreError) -> CardRun {
        var attributes = ["run_id": id]
        attributes["server_id"] = texts.serverID
        return CardRun(
            source: source, name: id,
            title: texts.repository?.shortened(to: longestTitle) ?? titleWithoutName,
            attributes: attributes, devices: try RunsDocuments.devices(), registrationFields: DeviceRegistry.fields,
            mayGoOn: false)
    }
}
