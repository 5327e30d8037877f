internal import DocumentStore

extension DocumentStore {
    /// Deletes the documents that are older than a moment, in small commits, so that what is written meanwhile hardly
    /// waits. One that changes after it was read is looked at again, and stays when it is young by then.
    ///
    /// - Parameters:
    ///   - collection: without filters and orders; a group that can be large needs an index by the field.
    ///   - field: the timestamp that counts; a document without it stays.
    /// - Returns: how many were deleted.
    @discardableResult
    func deleteDocuments(
        in collection: Query, whose field: String, isBefore cutoff: Timestamp, batch: Int = 500
    ) async throws(StoreError) -> Int {
        var query = collection.where(FieldPath(field), .lessThan, .timestamp(cutoff)).limited(to: batch)
        query.projection = [FieldPath(field)]
        var deleted = 0
        while true {
            let stale = try await documents(matching: query)
            do {
                _ = try await commit(stale.map { .delete($0.path, precondition: .updateTime($0.updateTime)) })
            } catch {
                guard error.code == .failedPrecondition else { throw error }
                continue
            }
            deleted += stale.count
            if stale.count < batch { return deleted }
        }
    }
}
