package import DocumentStore

/// The databases for Firestore's interface. While the disk is nearly full, they refuse writes that add data. The code
/// is the same if the disk has become full in spite of that.
///
/// The code of a refusal is `FAILED_PRECONDITION`. Firestore's clients repeat a commit for a minute after
/// `RESOURCE_EXHAUSTED` and `UNAVAILABLE`, and a disk does not become emptier by waiting: its operator has to act.
package struct AdmittingEngine: DocumentEngine {
    let base: any DocumentEngine
    let space: DiskSpace

    /// Creates an engine that refuses new data while there is no space for it.
    package init(base: any DocumentEngine, space: DiskSpace) {
        self.base = base
        self.space = space
    }

    package func store(for database: DatabaseID) -> any DocumentStore {
        AdmittingStore(base: base.store(for: database), space: space, refusalCode: .failedPrecondition)
    }

    package var membership: (any Membership)? { base.membership }

    package var watchedFiles: (any WatchedFiles)? { base.watchedFiles }

    package func databases() async throws(StoreError) -> [DatabaseID] { try await base.databases() }

    package func close() async { await base.close() }

    package func removeAll(from database: DatabaseID) async throws(StoreError) {
        do throws(StoreError) {
            try await base.removeAll(from: database)
        } catch {
            throw error.code == .resourceExhausted
                ? StoreError(.failedPrecondition, error.message, cause: error.cause) : error
        }
    }
}
