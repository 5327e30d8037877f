import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf

/// The answers about targets.
extension Google_Firestore_V1_ListenResponse {
    /// Returns the answer that a target was added.
    static func added(_ id: Int32) -> Self { change(.add, [id]) }

    /// Returns the answer that a target has ended: as requested, or with the status as the cause.
    static func removed(_ id: Int32, cause: FirestoreStatus? = nil) -> Self {
        change(.remove, [id]) { change in
            guard let cause else { return }
            change.cause.code = Int32(cause.code.rawValue)
            change.cause.message = cause.message
        }
    }

    /// Returns the request to forget all documents of a target.
    static func reset(_ id: Int32) -> Self { change(.reset, [id]) }

    /// Returns the answer that all documents of a target were sent.
    static func current(_ id: Int32, at time: Timestamp, _ token: Data) -> Self {
        change(.current, [id]) { $0.set(time, token) }
    }

    /// Returns the answer that all targets are consistent at a time.
    static func consistent(at time: Timestamp, _ token: Data) -> Self {
        change(.noChange, []) { $0.set(time, token) }
    }

    /// Returns the number of documents in a target, by which a client sees that it knows others.
    static func count(_ count: Int, of id: Int32) -> Self {
        var filter = Google_Firestore_V1_ExistenceFilter()
        filter.targetID = id
        filter.count = Int32(clamping: count)
        var response = Self()
        response.filter = filter
        return response
    }

    private static func change(
        _ type: Google_Firestore_V1_TargetChange.TargetChangeType, _ ids: [Int32],
        _ fill: (inout Google_Firestore_V1_TargetChange) -> Void = { _ in }
    ) -> Self {
        var change = Google_Firestore_V1_TargetChange()
        change.targetChangeType = type
        change.targetIds = ids
        fill(&change)
        var response = Self()
        response.targetChange = change
        return response
    }
}

extension Google_Firestore_V1_TargetChange {
    fileprivate mutating func set(_ time: Timestamp, _ token: Data) {
        readTime = Google_Protobuf_Timestamp(time)
        resumeToken = token
    }
}
