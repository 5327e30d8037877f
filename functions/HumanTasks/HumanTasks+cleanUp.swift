import DocumentStore

/// The scheduled clean-up, which removes tasks that ended long ago, all their data, and orphaned files.
extension HumanTasks {
    private static let batch = 100
    /// The minimum age of removed files. A younger file may belong to an upload in progress.
    private static let youngest = Duration.seconds(60 * 60)

    /// Removes everything possible before it throws the failures, so that the job is soon retried.
    @Sendable func cleanUp() async throws {
        var failures = CleanUpFailures()
        try await forgetOld(&failures)
        try await removeOrphans(&failures)
        try failures.check()
    }

    private func forgetOld(_ failures: inout CleanUpFailures) async throws {
        let cutoff = now().adding(.zero - settings.retention)
        let end = FieldPath(HumanTask.Field.endsAt)
        var query = Query.collection(try HumanTasksDocuments.allTasks())
            .where(end, .lessThan, .timestamp(cutoff))
            .ordered(by: end).ordered(by: .documentName).limited(to: Self.batch)
        while true {
            let stale = try await store.documents(matching: query)
            for document in stale {
                do { try await forget(document.path) } catch { try failures.note(error) }
            }
            guard stale.count == Self.batch, let last = stale.last, let time = last[HumanTask.Field.endsAt] else {
                return
            }
            query.start = Cursor([time, .reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    /// Deletes the task last, so that an interrupted deletion is repeated.
    private func forget(_ task: DocumentPath) async throws {
        try await files.removeFolder(task.id)
        for collection in [
            try HumanTasksDocuments.responses(to: task.id), try HumanTasksDocuments.photos(of: task.id),
        ] {
            // Queries names only, so that unreadable documents are deleted too.
            var query = Query.collection(collection).limited(to: Self.batch)
            query.projection = []
            while true {
                let documents = try await store.documents(matching: query)
                _ = try await store.commit(documents.map { .delete($0.path) })
                if documents.count < Self.batch { break }
            }
        }
        _ = try await store.commit([.delete(task)])
    }

    /// Removes files of uploads that a crash interrupted.
    private func removeOrphans(_ failures: inout CleanUpFailures) async throws {
        for folder in try await files.folders() where TaskID.isWellFormed(folder) {
            do {
                try await removeOrphans(in: folder, &failures)
            } catch {
                try failures.note(error)
            }
        }
    }

    private func removeOrphans(in folder: String, _ failures: inout CleanUpFailures) async throws {
        let isKnown = try await store.document(at: try HumanTasksDocuments.task(folder)) != nil
        let query = Query.collection(try HumanTasksDocuments.photos(of: folder))
        let photos = try await store.documents(matching: query).compactMap { TaskPhoto($0, of: folder) }
        // Keeps all files if a photo's document is unreadable, because the name of its file is unknown.
        guard try await photos.count == store.count(query) else { return }
        let names = Set(photos.map(\.file))
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

    /// Removes a file, unless its name shows that this system did not write it. Returns `true` if it was removed.
    private func removeIfStale(_ file: String, in folder: String) async throws -> Bool {
        guard TaskPhoto.isWellFormed(file: file) else { return false }
        try await files.remove(file, in: folder)
        return true
    }
}

/// The failures of a clean-up.
struct CleanUpFailures: Error, CustomStringConvertible {
    private var count = 0
    private var first: (any Error)?

    /// - Throws: A `CancellationError` if the task is cancelled.
    mutating func note(_ error: any Error) throws {
        try Task.checkCancellation()
        count += 1
        first = first ?? error
    }

    func check() throws {
        if count > 0 { throw self }
    }

    var description: String {
        "failed to remove \(count) old tasks or files; the first error: \(first.map { "\($0)" } ?? "")"
    }
}
