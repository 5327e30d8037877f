import Cryptography
package import DocumentStore
import Messaging

/// The paths and field names of this module's documents.
///
/// - `runDevices/{SHA-256 of the token}`: see ``DeviceRegistry``
/// - `runEvents/{SHA-256 of the event's id}`: `type`, `receivedAt`; the mark of a processed event
/// - `runs/{SHA-256 of the run's id}`: see ``Run``
/// - `runApprovals/{SHA-256 of the approval's id}`: see ``Approval``
/// - `runState/badge`: `pending`, the number of pending approvals
enum RunsDocuments {
    static let devicesID = "runDevices"
    static let eventsID = "runEvents"
    static let approvalsID = "runApprovals"
    static let runsID = "runs"

    static func devices() throws(StoreError) -> CollectionPath { try CollectionPath(devicesID) }
    static func events() throws(StoreError) -> CollectionPath { try CollectionPath(eventsID) }
    static func approvals() throws(StoreError) -> CollectionPath { try CollectionPath(approvalsID) }

    static func runs() throws(StoreError) -> CollectionPath { try CollectionPath(runsID) }

    static func run(_ id: String) throws(StoreError) -> DocumentPath {
        try runs().document(SHA256.hexadecimal(of: id))
    }

    static func event(_ id: String) throws(StoreError) -> DocumentPath {
        try events().document(SHA256.hexadecimal(of: id))
    }

    static func approval(_ id: String) throws(StoreError) -> DocumentPath {
        try approvals().document(SHA256.hexadecimal(of: id))
    }

    static func badge() throws(StoreError) -> DocumentPath { try CollectionPath("runState").document("badge") }

    /// The badge of all notifications that set one.
    static func badgeCounter() throws(StoreError) -> BadgeCounter { BadgeCounter(pending, in: try badge()) }

    static let receivedAt = "receivedAt"
    static let type = "type"
    static let pending = "pending"
}

extension Runs {
    /// The indexes that this module needs in its store.
    package static let fieldIndexes = [
        FieldIndex(
            collectionGroup: RunsDocuments.eventsID, field: FieldPath(RunsDocuments.receivedAt), type: .timestamp),
        FieldIndex(
            collectionGroup: RunsDocuments.approvalsID, field: FieldPath(Approval.Field.dueAt), type: .timestamp),
        FieldIndex(
            collectionGroup: RunsDocuments.approvalsID, field: FieldPath(Approval.Field.resolvedAt), type: .timestamp),
        FieldIndex(collectionGroup: RunsDocuments.approvalsID, field: FieldPath(Approval.Field.runID), type: .string),
        FieldIndex(collectionGroup: RunsDocuments.runsID, field: FieldPath(Run.Field.lastSeenAt), type: .timestamp),
    ]
}
