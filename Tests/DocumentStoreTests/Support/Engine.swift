import DocumentStore
import Foundation
import Logging
import PostgreSQLStore
import TestBasics
import Testing

/// An engine that runs through the conformance suite. A second engine is one more element of ``all``.
struct Engine: Sendable, CustomTestStringConvertible {
    let name: String
    let open: @Sendable (TestClock) async throws -> OpenEngine

    var testDescription: String { name }

    static let all = PostgreSQLServer.isInstalled ? [sqlite, postgreSQL] : [sqlite]

    private static let postgreSQL = Engine(name: "PostgreSQL") { clock in
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let configuration = PostgreSQLStoreConfiguration(
            url: url, connections: 3, pollInterval: .milliseconds(50), clock: { clock.now })
        let engine = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        return OpenEngine(engine: engine, close: { await engine.close() }, keptAlive: ())
    }

    static let sqlite = Engine(name: "SQLite") { clock in
        let directory = try TemporaryDirectory()
        let configuration = SQLiteStoreConfiguration(
            path: directory.file("documents.sqlite"),
            fieldIndexes: [FieldIndex(collectionGroup: "indexed", field: "dueAt", type: .timestamp)],
            clock: { clock.now })
        let engine = try SQLiteEngine(configuration, logger: Logger(label: "test"))
        return OpenEngine(engine: engine, close: { await engine.close() }, keptAlive: directory)
    }
}

/// An engine with empty databases.
struct OpenEngine: Sendable {
    let engine: any DocumentEngine
    let close: @Sendable () async -> Void
    let keptAlive: any Sendable

    func store(_ database: DatabaseID) -> any DocumentStore { engine.store(for: database) }
}

extension Engine {
    /// Runs the body on a new store and closes it afterwards.
    func withStore(
        _ database: DatabaseID = .gateway, clock: TestClock = TestClock(),
        _ body: (any DocumentStore) async throws -> Void
    ) async throws {
        try await withEngine(clock: clock) { engine in try await body(engine.store(for: database)) }
    }

    /// Runs the body on a new engine and closes it afterwards.
    func withEngine(
        clock: TestClock = TestClock(), _ body: (any DocumentEngine) async throws -> Void
    ) async throws {
        let open = try await open(clock)
        do {
            try await body(open.engine)
        } catch {
            await open.close()
            throw error
        }
        await open.close()
    }
}

extension DatabaseID {
    /// A database that keeps versions.
    static let app = DatabaseID(project: "app")
}
