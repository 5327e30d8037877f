import DocumentStore
import Foundation

@testable import FirestoreAPI

extension Transactions {
    /// Commits writes whose digest does not matter.
    @discardableResult
    func commit(_ id: Data, _ writes: [Write], in database: DatabaseID) async throws(FirestoreStatus) -> CommitResult {
        try await commit(id, writes, digest: [1], in: database, as: FirestoreCaller { _ in .success(.full) })
    }
}
