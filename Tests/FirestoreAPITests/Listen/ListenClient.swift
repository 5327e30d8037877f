import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import FirestoreAPI

/// A client of a Listen stream: keeps the documents of each target as Firestore's clients do.
final class ListenClient: Sendable {
    /// The documents that a client knows: per target, by name.
    typealias Documents = [Int32: [String: Google_Firestore_V1_Document]]

    fileprivate struct State {
        var documents: Documents = [:]
        var snapshots: [Documents] = []
        var current: Set<Int32> = []
        var log: [String] = []
        var token = Data()
    }

    private let state = Mutex(State())

    /// The last consistent documents of a target.
    func documents(_ id: Int32) -> [String: Google_Firestore_V1_Document] {
        state.withLock { $0.snapshots.last?[id] ?? [:] }
    }

    var snapshots: [Documents] { state.withLock(\.snapshots) }
    /// The token of the last snapshot.
    var token: Data { state.withLock(\.token) }

    /// Returns the answers so far as short texts, and forgets them.
    func takeLog() -> [String] {
        state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }

    /// Forgets what came after the last snapshot.
    func disconnect() {
        state.withLock { state in
            state.documents = state.snapshots.last ?? [:]
            state.current = []
        }
    }

    func receive(_ response: Google_Firestore_V1_ListenResponse) {
        state.withLock { state in
            state.log.append(response.summary)
            switch response.responseType {
            case .targetChange(let change): state.apply(change)
            case .documentChange(let change): state.apply(change)
            case .documentDelete(let delete): state.remove(delete.document, delete.removedTargetIds)
            case .documentRemove(let remove): state.remove(remove.document, remove.removedTargetIds)
            case .filter, nil: return
            }
        }
    }
}

extension ListenClient.State {
    fileprivate mutating func apply(_ change: Google_Firestore_V1_TargetChange) {
        switch change.targetChangeType {
        case .current: current.formUnion(change.targetIds)
        case .reset, .remove:
            current.subtract(change.targetIds)
            for id in change.targetIds { documents[id] = nil }
        case .noChange where change.targetIds.isEmpty:
            token = change.resumeToken
            snapshots.append(documents)
        default: return
        }
    }

    fileprivate mutating func apply(_ change: Google_Firestore_V1_DocumentChange) {
        for id in change.targetIds {
            let known = documents[id, default: [:]].updateValue(change.document, forKey: change.document.name)
            #expect(known?.updateTime != change.document.updateTime, "each change comes once")
        }
        remove(change.document.name, change.removedTargetIds)
    }

    fileprivate mutating func remove(_ name: String, _ ids: [Int32]) {
        for id in ids { documents[id]?[name] = nil }
    }
}

extension Google_Firestore_V1_ListenResponse {
    /// The kind, the targets and the document's id.
    var summary: String {
        switch responseType {
        case .targetChange(let change):
            "\(change.targetChangeType) \(change.targetIds)" + (change.hasCause ? " \(change.cause.code)" : "")
        case .documentChange(let change):
            "\(change.document.name.suffix(1)) +\(change.targetIds) -\(change.removedTargetIds)"
        case .documentDelete(let delete): "deleted \(delete.document.suffix(1)) -\(delete.removedTargetIds)"
        case .documentRemove(let remove): "removed \(remove.document.suffix(1)) -\(remove.removedTargetIds)"
        case .filter(let filter): "filter \(filter.targetID) \(filter.count)"
        case nil: "nothing"
        }
    }
}

extension Google_Firestore_V1_Target {
    /// Returns a target for the documents of a collection at the root.
    static func collection(
        _ collection: String, id: Int32, in database: DatabaseID, limit: Int32? = nil, token: Data = Data()
    ) -> Self {
        var target = Self()
        target.targetID = id
        target.query.parent = "\(database)/documents"
        var selector = Google_Firestore_V1_StructuredQuery.CollectionSelector()
        selector.collectionID = collection
        target.query.structuredQuery.from = [selector]
        if let limit { target.query.structuredQuery.limit.value = limit }
        if !token.isEmpty { target.resumeToken = token }
        return target
    }
}
