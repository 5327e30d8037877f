import Foundation
import Logging

@testable import DocumentStore

/// A SQLite engine on a file in its own directory.
struct SQLiteFixture {
    let directory: TemporaryDirectory
    let clock = TestClock()
    static let file = "documents.sqlite"

    init() throws { directory = try TemporaryDirectory() }

    var path: String { directory.file(Self.file) }

    func open(
        fieldIndexes: [FieldIndex] = [], indexed: Set<DatabaseID> = [], maximumGroupSize: Int = 256,
        maximumGroupTime: Duration = .seconds(60), logger: Logger = Logger(label: "test")
    ) throws -> SQLiteEngine {
        // The directory stays for as long as the engine uses the file.
        let (clock, directory) = (clock, directory)
        return try SQLiteEngine(
            SQLiteStoreConfiguration(
                path: path, fieldIndexes: fieldIndexes, indexesFields: indexed.contains,
                maximumGroupSize: maximumGroupSize, maximumGroupTime: maximumGroupTime,
                clock: { withExtendedLifetime(directory) { clock.now } }),
            logger: logger)
    }
}

extension SQLiteFixture {
    /// Statements after which a file names the migrations of a build before 0.1.0.
    static let earlierSteps = """
        DELETE FROM grdb_migrations;
        INSERT INTO grdb_migrations
        VALUES ('1 documents'), ('2 indexed values'), ('3 versions'), ('4 automatic indexes'), ('5 outcomes')
        """

    /// Makes the file, which no engine has open, one of such a build.
    func makeEarlier() throws { _ = try SQLiteEngine.run(Self.earlierSteps, onFile: path) }
}

extension SQLiteEngine {
    /// Returns the documents with an index column that differs from `json_extract` of their fields.
    func staleRows(_ indexes: [FieldIndex]) async throws -> [String] {
        var stale: [String] = []
        for number in 0..<slots.count {
            let column = SQL.valueColumn(number + 1)
            let values = Set(indexes.map { StoredName.encode($0.collectionGroup) }).sorted().flatMap { group in
                slots.slots(ofGroup: group).filter { $0.column == column }.map {
                    "WHEN '\(group)' THEN \(SQL.indexedValue($0.index))"
                }
            }
            stale += try await onWriter(
                "SELECT path FROM documents WHERE \(column) IS NOT CASE collection \(values.joined(separator: " ")) END"
            )
        }
        return stale
    }

    /// Returns the values of a document's index columns, as SQL literals.
    func columns(of id: String) async throws -> [String] {
        var columns: [String] = []
        for number in 0..<slots.count {
            columns += try await texts(
                "SELECT quote(\(SQL.valueColumn(number + 1))) FROM documents WHERE document = '\(id)'")
        }
        return columns
    }

    /// Returns the texts in the first column, without the quotes and backslashes of ``onWriter(_:)-(String)``.
    func texts(_ sql: String) async throws -> [String] {
        try await onWriter(sql).map { text in
            String(text.dropFirst().dropLast().replacing("\\'", with: "'").replacing("\\\"", with: "\""))
        }
    }

    /// Runs the commits while the writer is held, and releases it when all of them wait. Returns the outcomes in
    /// order.
    func commitTogether(_ commits: [[Write]]) async throws -> [Result<CommitResult, any Error>] {
        let store = store(for: .gateway)
        let gate = DispatchSemaphore(value: 0)
        // Until then the writer may still take commits for the group before.
        await withCheckedContinuation { continuation in
            onWriter {
                continuation.resume()
                gate.wait()
            }
        }
        return await withTaskGroup(of: (Int, Result<CommitResult, any Error>).self) { group in
            for (index, writes) in commits.enumerated() {
                group.addTask {
                    do { return (index, .success(try await store.commit(writes))) } catch {
                        return (index, .failure(error))
                    }
                }
            }
            while committer.queue.count < commits.count { await Task.yield() }
            gate.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
