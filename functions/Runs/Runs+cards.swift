import DocumentStore
import Messaging

/// The cards of runs. A card is changed before the event counts as processed, so a crash in between repeats the change,
/// which then has no effect.
extension Runs {
    /// Shows the progress of a run. Progress that comes after the run's end has no effect.
    func show(_ progress: CardEvent, _ event: RunEvent, _ known: Knowledge) async throws(StoreError) {
        if !known.run.hasEnded(before: event) {
            try await cards?.take(progress, of: try run(event.runID, event.texts.filled(from: known.run.texts)))
        }
        _ = try await store.commit(try writes(for: event, known))
    }

    /// Shows that a run needs an approval, which the card lets a person decide.
    func show(_ approval: Approval) async throws(StoreError) {
        let question = CardApproval(
            id: approval.id, expiresAt: approval.expiresAt.seconds,
            text: approval.texts.prompt?.shortened(to: CardState.maximumText))
        try await cards?.take(.approvalNeeded(question), of: try run(approval.runID, approval.texts))
    }

    /// Shows that an approval is decided, or resolved by the run's server.
    ///
    /// - Parameter approval: The approval; `nil` if it cannot be read.
    func close(_ approval: Approval?) async throws(StoreError) {
        guard let approval else { return }
        let text: String? =
            switch approval.decided?.decision {
            case .approved?: "Approved"
            case .denied?: "Denied"
            case nil: nil
            }
        try await cards?.take(
            .approvalClosed(id: approval.id, text: text), of: try run(approval.runID, approval.texts))
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
        try await cards?.take(end, of: try run(event.runID, texts))
    }

    /// The title of a run whose events name no repository.
    private static let titleWithoutName = "Run"
    /// The maximum length of a title, in UTF-16 units.
    private static let longestTitle = 120

    private func run(_ id: String, _ texts: RunTexts) throws(StoreError) -> CardRun {
        var attributes = ["run_id": id]
        attributes["server_id"] = texts.serverID
        return CardRun(
            source: Self.source, name: id,
            title: texts.repository?.shortened(to: Self.longestTitle) ?? Self.titleWithoutName,
            attributes: attributes, devices: try RunsDocuments.devices(), registrationFields: DeviceRegistry.fields,
            mayGoOn: false)
    }
}
