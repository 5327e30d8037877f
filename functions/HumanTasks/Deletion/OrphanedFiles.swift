import DocumentStore

/// The files of uploads that a crash interrupted, and of deleted tasks.
struct OrphanedFiles: Sendable {
    /// The minimum age of removed files. A younger file may belong to an upload in progress.
    private static let youngest = Duration.seconds(60 * 60)

    private let store: any DocumentStore
    private let files: any FileStorage

    init(store: any DocumentStore, files: any FileStorage) {
        self.store = store
        self.files = files
    }

    /// Removes all of them, and notes the failures.
    func remove(_ failures: inout CleanUpFailures) async throws {
        for folder in try await files.folders() where TaskID.isWellFormed(folder) {
            do {
                try await remove(in: folder, &failures)
            } catch {
                try failures.note(error)
            }
        }
    }

    private func remove(in folder: String, _ failures: inout CleanUpFailures) async throws {
        let isKnown = try await store.document(at: try HumanTasksDocuments.task(folder)) != nil
        // Keeps all files if a photo's document is unreadable, because the name of its file is unknown.
        guard let names = try await names(of: folder) else { return }
        var isEmpty = true
        for file in try await files.files(in: folder) {
            let isWanted = isKnown && names.contains(file.name) || file.age < Self.youngest
            do {
                let isGone = try await isWanted ? false : removeIfStale(file.name, in: folder)
                isEmpty = isEmpty && isGone
            } catch {
                isEmpty = false
                try failures.note(error)
            }
        }
        if !isKnown, isEmpty { try await files.removeFolder(folder) }
    }

    /// Returns the names of a task's files, or `nil` if one of its photos is unreadable.
    private func names(of task: String) async throws(StoreError) -> Set<String>? {
        let query = Query.collection(try HumanTasksDocuments.photos(of: task))
        let photos = try await store.documents(matching: query).compactMap { TaskPhoto($0, of: task) }
        return try await photos.count == store.count(query) ? Set(photos.map(\.file)) : nil
    }

    /// Removes a file, unless its name shows that this system did not write it. Returns `true` if it was removed.
    private func removeIfStale(_ file: String, in folder: String) async throws -> Bool {
        guard TaskPhoto.isWellFormed(file: file) else { return false }
        try await files.remove(file, in: folder)
        return true
    }
}
