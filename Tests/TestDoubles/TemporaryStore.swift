package import DocumentStore
import Foundation
import Messaging

/// A SQLite store in its own directory, which is removed together with the last reference to the store.
package final class TemporaryStore: Sendable {
    package let engine: SQLiteEngine
    /// The documents of the project `test`.
    package let documents: SQLiteDocumentStore
    private let directory: URL

    package init(clock: ManualClock, fieldIndexes: [FieldIndex] = Outbox.fieldIndexes) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "pushgate-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        engine = try SQLiteEngine(
            SQLiteStoreConfiguration(
                path: directory.appending(path: "store.sqlite").path, fieldIndexes: fieldIndexes,
                clock: { clock.timestamp }),
            logger: .silent)
        documents = engine.store(for: DatabaseID(project: "test"))
    }

    deinit { try? FileManager.default.removeItem(at: directory) }
}
