import DocumentStore
import Foundation
import Logging
import Testing

/// An engine that runs through the conformance suite. A second engine is one more element of ``all``.
struct Engine: Sendable, CustomTestStringConvertible {
    let name: String
    let open: @Sendable (TestClock) async throws -> OpenEngine

    var testDescription: String { name }

    static let all = [sqlite]

    private static let sqlite = Engine(name: "SQLite") { clock in
        let directory = try TemporaryDirectory()
        let configuration = SQLiteStoreConfiguration(
            path: directory.file("documents.sqlite"),
            fieldIndexes: [FieldIndex(collectionGroup: "indexed", field: "dueAt", type: .timestamp)],
            clock: { clock.now })
        let engine = try SQLiteEngine(configuration, logger: Logger(label: "test"))
        return OpenEngine(store: { engine.store(for: $0) }, close: { await engine.close() }, keptAlive: directory)
    }
}

/// An engine with an empty database.
struct OpenEngine: Sendable {
    let store: @Sendable (DatabaseID) -> any DocumentStore
    let close: @Sendable () async -> Void
    let keptAlive: any Sendable
}

extension Engine {
    /// Runs the body on a new store and closes it afterwards.
    func withStore(
        clock: TestClock = TestClock(), _ body: (any DocumentStore) async throws -> Void
    ) async throws {
        let engine = try await open(clock)
        do {
            try await body(engine.store(.gateway))
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }
}
