internal import DocumentStore
internal import Messaging

/// Says again that an approval is waited for. That it was said, and when the next time is, is one commit with the message:
/// a restart repeats nothing and skips nothing.
struct ApprovalReminders: Sendable {
    let delays: [Duration]
    let outbox: Outbox
    let devices: DeviceRegistry
    let store: any DocumentStore

    func remind(of document: Document) async throws {
        guard var approval = Approval(document) else { throw UnreadableApproval(path: document.path) }
        let badge = try await store.document(at: RunsDocuments.badge())?[RunsDocuments.pending]?.integer ?? 0
        let message = RunNotification.approval(approval, number: approval.sent, badge: badge)
        approval.sent += 1
        let write = Write.set(
            document.path, approval.fields(remindingAfter: delays), precondition: .updateTime(document.updateTime))
        let devices = try await devices.all()
        do {
            try await outbox.send(
                message, of: "runs", for: RunNotification.lifetime, to: devices, alongside: [write])
        } catch {
            // It was resolved at this moment.
            guard error.code == .failedPrecondition else { throw error }
        }
    }
}

/// A document where an approval should be, and is none.
struct UnreadableApproval: Error, CustomStringConvertible {
    let path: DocumentPath

    var description: String { "\(path) is not an approval; delete it" }
}
