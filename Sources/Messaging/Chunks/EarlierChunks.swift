package import DocumentStore

/// The chunks that builds before version 0.1.0 stored in `messages/{id}/chunks`, where nothing finds them any more.
package enum EarlierChunks {
    private static let collection = "chunks"

    /// Checks that there are none. Collections of the same name below other documents are not looked at.
    ///
    /// - Throws: `FAILED_PRECONDITION` if there is one.
    package static func refuse(in store: any DocumentStore) async throws(StoreError) {
        var query = Query.collectionGroup(collection).ordered(by: .documentName).limited(to: 1)
        // The smallest and the largest possible path.
        query.start = Cursor([.reference(try path("\u{1}").name(in: store.database))], isAfter: false)
        query.end = Cursor([.reference(try path("\u{10FFFF}").name(in: store.database))], isAfter: true)
        guard try await !store.documents(matching: query).isEmpty else { return }
        throw EarlierForm.refusal(of: "the outbox has chunks")
    }

    private static func path(_ id: String) throws(StoreError) -> DocumentPath {
        try OutboxDocuments.messagePath(id).document(id, in: collection)
    }
}
