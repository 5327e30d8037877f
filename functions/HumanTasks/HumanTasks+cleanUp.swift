internal import DocumentStore

/// The scheduled clean-up: tasks that ended long ago, with all that belongs to them, and files that belong to nothing.
extension HumanTasks {
    private static let batch = 100
    /// A file younger than this may be of an upload that is still under way.
    private static let youngest = Duration.seconds(60 * 60)

    @Sendable func cleanUp() async throws {
        let cutoff = now().adding(.zero - configuration.retention)
        let query = Query.collection(try HumanTasksDocuments.allHits())
            .where(FieldPath(Hit.Field.endsAt), .lessThan, .timestamp(cutoff)).limited(to: Self.batch)
        while true {
            let stale = try await store.documents(matching: query)
            for document in stale { try await forget(document.path) }
            if stale.count < Self.batch { break }
        }
        try await removeOrphans()
    }

    /// The task goes last: what is cut short is begun again.
    private func forget(_ hit: DocumentPath) async throws {
        try await files.removeFolder(hit.id)
        for collection in [
            try HumanTasksDocuments.responses(to: hit.id), try HumanTasksDocuments.photos(of: hit.id),
        ] {
            while true {
                let documents = try await store.documents(matching: .collection(collection).limited(to: Self.batch))
                _ = try await store.commit(documents.map { .delete($0.path) })
                if documents.count < Self.batch { break }
            }
        }
        _ = try await store.commit([.delete(hit)])
    }

    /// What an upload left that a crash cut short.
    private func removeOrphans() async throws {
        for folder in try await files.folders() where HitID.isWellFormed(folder) {
            let isKnown = try await store.document(at: try HumanTasksDocuments.hit(folder)) != nil
            let photos = try await store.documents(matching: .collection(try HumanTasksDocuments.photos(of: folder)))
            let names = Set(photos.compactMap { HitPhoto($0, of: folder)?.file })
            var isEmpty = true
            for file in try await files.files(in: folder) {
                if isKnown && names.contains(file.name) || file.age < Self.youngest {
                    isEmpty = false
                } else {
                    try await files.remove(file.name, in: folder)
                }
            }
            if !isKnown, isEmpty { try await files.removeFolder(folder) }
        }
    }
}
