import DocumentStore
import Logging

/// The deletion of tasks with all their data.
struct TaskDeletion: Sendable {
    private static let batch = 100

    private let store: any DocumentStore
    private let files: any FileStorage
    private let logger: Logger

    init(store: any DocumentStore, files: any FileStorage, logger: Logger) {
        self.store = store
        self.files = files
        self.logger = logger
    }

    // MARK: At once

    /// Deletes a task with its answers and photos in one commit, then the files. If the process ends between the two,
    /// the clean-up removes the orphaned files. The commit only deletes, so it succeeds on a full disk.
    ///
    /// - Returns: `false` if the task does not exist.
    func delete(_ id: String) async throws -> Bool {
        let path = try HumanTasksDocuments.task(id)
        while let document = try await store.document(at: path) {
            if try await tryDelete(document) {
                await removeFiles(of: id)
                return true
            }
            try Task.checkCancellation()
        }
        return false
    }

    /// Deletes a task with its answers and photos. New answers and photos change the task, so the commit misses none
    /// of them.
    ///
    /// - Returns: `false` if the task has changed since it was read.
    private func tryDelete(_ task: Document) async throws(StoreError) -> Bool {
        var writes = [Write.delete(task.path, precondition: .updateTime(task.updateTime))]
        for query in try Self.belongings(of: task.path) {
            writes += try await store.documents(matching: query).map { .delete($0.path) }
        }
        do {
            _ = try await store.commit(writes)
            return true
        } catch {
            guard error.code == .failedPrecondition else { throw error }
            return false
        }
    }

    private func removeFiles(of task: String) async {
        do {
            try await files.removeFolder(task)
        } catch {
            logger.warning(
                "failed to remove the photos of a deleted task; the clean-up will remove them",
                metadata: ["error": "\(error)"])
        }
    }

    // MARK: In steps

    /// Deletes a task in many small commits. The task itself is the last, so that an interrupted deletion is repeated.
    func deleteInSteps(_ task: DocumentPath) async throws {
        try await files.removeFolder(task.id)
        for query in try Self.belongings(of: task).map({ $0.limited(to: Self.batch) }) {
            while true {
                let documents = try await store.documents(matching: query)
                _ = try await store.commit(documents.map { .delete($0.path) })
                if documents.count < Self.batch { break }
            }
        }
        _ = try await store.commit([.delete(task)])
    }

    /// Returns queries for the names of a task's answers and photos. They find unreadable documents too.
    private static func belongings(of task: DocumentPath) throws(StoreError) -> [Query] {
        try HumanTasksDocuments.collections(below: task.id).map { collection in
            var query = Query.collection(collection)
            query.projection = []
            return query
        }
    }
}
