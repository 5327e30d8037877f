public import DocumentStore
import Foundation
public import Messaging

/// A SQLite store in a directory of its own, gone with the last reference to it.
public final class TemporaryStore: Sendable {
    public let engine: SQLiteEngine
    public let documents: SQLiteDocumentStore
    private let directory: URL

    public init(clock: ManualClock, fieldIndexes: [FieldIndex] = Outbox.fieldIndexes) throws {
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
