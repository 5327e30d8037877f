internal import DocumentStore

/// The scheduled clean-up: what was dealt with long ago need not be recognised any more.
extension Runs {
    private static let maximumAge = Duration.seconds(30 * 24 * 60 * 60)
    private static let batch = 500

    @Sendable func cleanUp() async throws {
        let cutoff = now().adding(.zero - Self.maximumAge)
        try await sweep(try RunsDocuments.events(), RunsDocuments.receivedAt, before: cutoff)
        try await sweep(try RunsDocuments.approvals(), Approval.Field.resolvedAt, before: cutoff)
    }

    private func sweep(_ collection: CollectionPath, _ field: String, before cutoff: Timestamp) async throws {
        let query = Query.collection(collection).where(FieldPath(field), .lessThan, .timestamp(cutoff))
            .limited(to: Self.batch)
        while true {
            let stale = try await store.documents(matching: query)
            _ = try await store.commit(stale.map { .delete($0.path) })
            if stale.count < Self.batch { return }
        }
    }
}
