import TestDoubles

@testable import DocumentStore

extension TemporaryStore {
    /// Writes invalid fields directly into the file, past the store.
    func damage(_ path: DocumentPath) async throws {
        _ = try await engine.onWriter(
            """
            UPDATE documents SET fields = json_set(fields, '$.damage', 1)
            WHERE document = '\(path.id)' AND parent = '\(StoredName.encode(path.collection.description))'
            """)
    }
}
