internal import DocumentStore

/// The scheduled clean-up: tasks that ended long ago, with all that belongs to them, and files that belong to nothing.
extension HumanTasks {
    private static let batch = 100
    /// A file younger than this may be of an upload that is still under way.
    private static let youngest = Duration.seconds(60 * 60)

    /// Goes on after what cannot be removed, and fails at the end, so that it is tried again before long.
    @Sendable func cleanUp() async throws {
        var failures = CleanUpFailures()
        try await forgetOld(&failures)
        try await removeOrphans(&failures)
        try failures.check()
    }

    private func forgetOld(_ failures: inout CleanUpFailures) async throws {
        let cutoff = now().adding(.zero - configuration.retention)
        let end = FieldPath(Hit.Field.endsAt)
        var query = Query.collection(try HumanTasksDocuments.allHits())
            .where(end, .lessThan, .timestamp(cutoff)).ordered(by: end).limited(to: Self.batch)
        while true {
            let stale = try await store.documents(matching: query)
            for document in stale {
                do { try await forget(document.path) } catch { try failures.note(error) }
            }
            guard stale.count == Self.batch, let last = stale.last, let time = last[Hit.Field.endsAt] else { return }
            query.start = Cursor([time, .reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    /// The task goes last: what is cut short is begun again.
    private func forget(_ hit: DocumentPath) async throws {
        try await files.removeFolder(hit.id)
        for collection in [
            try HumanTasksDocuments.responses(to: hit.id), try HumanTasksDocuments.photos(of: hit.id),
        ] {
            // Of the names alone: what cannot be read goes too.
            var query = Query.collection(collection).limited(to: Self.batch)
            query.projection = []
            while true {
                let documents = try await store.documents(matching: query)
                _ = try await store.commit(documents.map { .delete($0.path) })
                if documents.count < Self.batch { break }
            }
        }
        _ = try await store.commit([.delete(hit)])
    }

    /// What an upload left that a crash cut short.
    private func removeOrphans(_ failures: inout CleanUpFailures) async throws {
        for folder in try await files.folders() where HitID.isWellFormed(folder) {
            do {
                try await removeOrphans(in: folder, &failures)
            } catch {
                try failures.note(error)
            }
        }
    }

    private func removeOrphans(in folder: String, _ failures: inout CleanUpFailures) async throws {
        let isKnown = try await store.document(at: try HumanTasksDocuments.hit(folder)) != nil
        let query = Query.collection(try HumanTasksDocuments.photos(of: folder))
        let photos = try await store.documents(matching: query).compactMap { HitPhoto($0, of: folder) }
        // A photo whose document cannot be read keeps its file, whichever that is.
        guard try await photos.count == store.count(query) else { return }
        let names = Set(photos.map(\.file))
        var isEmpty = true
        for file in try await files.files(in: folder) {
            let isWanted = isKnown && names.contains(file.name) || file.age < Self.youngest
            do {
                let isGone = try await isWanted ? false : isRemoved(file.name, in: folder)
                isEmpty = isEmpty && isGone
            } catch {
                isEmpty = false
                try failures.note(error)
            }
        }
        if !isKnown, isEmpty { try await files.removeFolder(folder) }
    }

    /// Removes a file, unless somebody else put it there.
    private func isRemoved(_ file: String, in folder: String) async throws -> Bool {
        guard HitPhoto.isWellFormed(file: file) else { return false }
        try await files.remove(file, in: folder)
        return true
    }
}

/// What could not be removed.
struct CleanUpFailures: Error, CustomStringConvertible {
    private var count = 0
    private var first: (any Error)?

    /// - Throws: when it failed because all is to end.
    mutating func note(_ error: any Error) throws {
        try Task.checkCancellation()
        count += 1
        first = first ?? error
    }

    func check() throws {
        if count > 0 { throw self }
    }

    var description: String {
        "\(count) of the old tasks and files could not be removed, the first because: \(first.map { "\($0)" } ?? "")"
    }
}
