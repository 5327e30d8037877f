import DocumentStore
import Messaging

/// The approvals on the cards of runs.
struct ApprovalCards: Sendable {
    /// The Live Activities; `nil` for none.
    let cards: Cards?
    let store: any DocumentStore

    /// Shows that a run needs an approval, which the card lets a person decide.
    ///
    /// - Parameter devices: The documents of all devices.
    func show(_ approval: Approval, on devices: [Document]) async throws(StoreError) {
        let question = CardApproval(
            id: approval.id, expiresAt: approval.expiresAt.seconds,
            text: approval.texts.prompt?.shortened(to: CardState.maximumText))
        try await cards?.take(
            .approvalNeeded(question), of: try Runs.cardRun(approval.runID, approval.texts), on: devices)
    }

    /// Takes an approval from its card: it is decided, expired, or resolved by the run's server. An approval that the
    /// card does not show changes nothing there.
    ///
    /// - Parameter writes: Further writes, which are committed in any case, together with the card's change. Their
    ///   errors, and those of a card that changes at the same moment, are the caller's.
    func close(_ approval: Approval, alongside writes: [Write] = []) async throws(StoreError) {
        guard let cards else {
            if !writes.isEmpty { _ = try await store.commit(writes) }
            return
        }
        try await cards.take(
            .approvalClosed(id: approval.id, text: Self.text(of: approval)),
            of: try Runs.cardRun(approval.runID, approval.texts), alongside: writes)
    }

    /// Returns the line that takes the place of the question; `nil` if the run's server has resolved it.
    private static func text(of approval: Approval) -> String? {
        switch approval.decided?.decision {
        case .approved?: "Approved"
        case .denied?: "Denied"
        case nil: approval.isExpired ? "Expired" : nil
        }
    }
}
