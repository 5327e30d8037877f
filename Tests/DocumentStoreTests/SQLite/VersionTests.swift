import Logging
import Testing

@testable import DocumentStore

@Suite("SQLite: versions and removed databases", .timeLimit(.minutes(10)))
struct VersionTests {
    private func count(_ table: String, _ engine: SQLiteEngine) async throws -> String? {
        try await engine.onWriter("SELECT count(*) FROM \(table)").first
    }

    /// Waits until a table has a number of rows.
    private func wait(for table: String, toHave rows: String, _ engine: SQLiteEngine) async throws {
        while try await count(table, engine) != rows { await Task.yield() }
    }

    @Test("Only changes in databases that keep versions leave one")
    func written() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        for database in [DatabaseID.gateway, .app] {
            let store = engine.store(for: database)
            try await store.set("t/a", ["n": .integer(1)])
            try await store.set("t/a", ["n": .integer(1)])
            try await store.set("t/a", ["n": .integer(2)])
            _ = try await store.commit([.delete(DocumentPath("t/a"))])
        }
        let app = "database = (SELECT id FROM databases WHERE project = 'app')"
        #expect(try await count("versions WHERE \(app)", engine) == "2")
        #expect(try await count("versions", engine) == "2")
        await engine.close()
    }

    @Test("Old versions are deleted when the file is opened, and others are kept")
    func pruning() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open()
        let store = first.store(for: .app)
        try await store.set("t/a", ["n": .integer(1)])
        try await store.set("t/a", ["n": .integer(2)])
        fixture.clock.advance(by: .seconds(7_200))
        let time = try await store.commit([.set(DocumentPath("t/a"), ["n": .integer(3)])]).commitTime
        try await store.set("t/a", ["n": .integer(4)])
        await first.close()
        let second = try fixture.open()
        try await wait(for: "versions", toHave: "2", second)
        let snapshot = try await second.store(for: .app).snapshot(at: time)
        #expect(try await snapshot.document(at: DocumentPath("t/a"))?["n"] == .integer(3))
        await second.close()
    }

    @Test("The rows of a removed database are deleted afterwards, also by the next process")
    func sweeping() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open()
        let store = first.store(for: .app)
        let writes = try (0..<900).map { Write.set(try DocumentPath("t/\($0)"), ["n": .integer(1)]) }
        _ = try await store.commit(writes)
        _ = try await store.commit(writes.map { .delete($0.path) })
        _ = try await store.commit(writes)
        try await first.removeAll(from: .app)
        #expect(try await store.count(.descendants(of: nil)) == 0)
        try await store.set("t/new")
        try await wait(for: "versions", toHave: "0", first)
        try await wait(for: "documents", toHave: "1", first)
        _ = try await first.onWriter("UPDATE databases SET id = id + 1")
        await first.close()
        let second = try fixture.open()
        try await wait(for: "documents", toHave: "0", second)
        await second.close()
    }

    @Test("A database that begins to keep versions has the states from then on")
    func beginning() async throws {
        let fixture = try SQLiteFixture()
        let clock = fixture.clock
        let without = try SQLiteEngine(
            SQLiteStoreConfiguration(path: fixture.path, keepsVersions: { _ in false }, clock: { clock.now }),
            logger: Logger(label: "test"))
        let lost = try await without.store(for: .app).commit([.set(DocumentPath("t/a"), ["n": .integer(1)])])
        let last = try await without.store(for: .app).commit([.set(DocumentPath("t/a"), ["n": .integer(2)])])
        await without.close()
        let engine = try fixture.open()
        let store = engine.store(for: .app)
        try await store.set("t/a", ["n": .integer(3)])
        let snapshot = try await store.snapshot(at: last.commitTime)
        #expect(try await snapshot.document(at: DocumentPath("t/a"))?["n"] == .integer(2))
        await expectError(.failedPrecondition) { try await store.snapshot(at: lost.commitTime) }
        await engine.close()
    }

    @Test("Reads at a time use the indexes by path")
    func plans() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        for sql in [
            SQL.selectVersion, SQL.documentsAtTime + SQL.selectNextParent,
            SQL.documentsAtTime + "SELECT fields FROM documents WHERE database = ? AND parent = ? ORDER BY document",
        ] {
            let plan = try await engine.plan(of: sql)
            #expect(plan.contains { $0.contains("versions_by_path (database=? AND parent") }, "\(plan)")
            // "SCAN documents" reads the rows that the two searches have found.
            let needed = sql.contains("FROM documents") ? 1 : 0
            let found = plan.count { $0.contains("documents_by_path (database=? AND parent") }
            #expect(found == needed, "\(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN main.documents") || $0.hasPrefix("SCAN versions") }, "\(plan)")
        }
        await engine.close()
    }
}

@Suite("Recent changes")
struct RecentChangesTests {
    private func changes(_ times: Range<Int64>) throws -> ChangedDocuments {
        var changes = ChangedDocuments()
        changes.versioned = [.app]
        for time in times {
            let time = Timestamp(microseconds: time)
            let document = StoredDocument(json: Array("{}".utf8), createTime: time, updateTime: time)
            changes.append(
                ChangedDocument(
                    database: .app, path: try DocumentPath("t/\(time.microseconds)"), before: nil, after: document,
                    time: time))
        }
        return changes
    }

    private func reads(at time: Int64, _ path: String) throws -> TransactionReads {
        var reads = TransactionReads(at: Timestamp(microseconds: time))
        reads.add([try DocumentPath(path)])
        return reads
    }

    @Test("Only changes after the reads conflict with them")
    func conflicts() throws {
        var recent = RecentChanges(since: Timestamp(microseconds: 0))
        recent.append(try changes(1..<9))
        #expect(recent.conflicts(with: try reads(at: 4, "t/5"), in: .app) == true)
        #expect(recent.conflicts(with: try reads(at: 5, "t/5"), in: .app) == false)
        #expect(recent.conflicts(with: try reads(at: 0, "t/9"), in: .app) == false)
        #expect(recent.conflicts(with: try reads(at: 0, "t/5"), in: DatabaseID(project: "other")) == false)
    }

    @Test("Reads from before a forgotten change cannot be compared")
    func limits() throws {
        var recent = RecentChanges(since: Timestamp(microseconds: 0), mostChanges: 3)
        recent.append(try changes(1..<9))
        #expect(recent.conflicts(with: try reads(at: 4, "t/9"), in: .app) == nil)
        #expect(recent.conflicts(with: try reads(at: 5, "t/9"), in: .app) == false)
        recent.append(try changes(300_000_000..<300_000_001))
        #expect(recent.conflicts(with: try reads(at: 7, "t/9"), in: .app) == nil)
    }
}
