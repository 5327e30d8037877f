import Foundation
import Testing

@testable import DocumentStore

@Suite("SQLite: backups")
struct BackupTests {
    private static let databases = [DatabaseID.gateway, DatabaseID(project: "other")]

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    /// Makes a backup of three documents and one file, and returns its path.
    private func makeBackup(_ fixture: SQLiteFixture) async throws -> String {
        let engine = try fixture.open()
        for id in ["a", "b", "c"] { try await engine.store(for: .gateway).set("t/\(id)", ["id": .string(id)]) }
        let path = fixture.directory.file("backup")
        _ = try await engine.backUp(to: path) { add in
            try add(BackupFile(name: "photos/1", mode: 0o600, contents: Array(repeating: 7, count: 5_000)))
        }
        await engine.close()
        return path
    }

    @Test("A backup under load is one state of all databases, with every commit that came before")
    func load() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        let stores: [SQLiteDocumentStore] = Self.databases.map { engine.store(for: $0) }
        let path = fixture.directory.file("backup")
        let filler = String(repeating: "x", count: 4_000)
        for id in 0..<500 { try await stores[0].set("before/\(id)", ["text": .string(filler)]) }
        let backup = try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var id = 0
                    while !Task.isCancelled {
                        // The second document is written after the first, so no state has it alone.
                        for store in stores { try await store.set("pairs/\(task)-\(id)") }
                        id += 1
                    }
                }
            }
            let backup = try await engine.backUp(to: path)
            group.cancelAll()
            return backup
        }
        await engine.close()
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
        #expect(!files.contains { $0.hasPrefix("backup-") })

        let restored = try SQLiteFixture()
        try backup.restoreDocuments(to: restored.path)
        let copy = try restored.open()
        var ids: [Set<String>] = []
        for database in Self.databases {
            ids.append(Set(try await copy.store(for: database).ids(Query.collectionGroup("pairs"))))
        }
        #expect(ids[1].isSubset(of: ids[0]) && ids[0].count - ids[1].count <= 4)
        #expect(try await copy.store(for: .gateway).ids(Query.collectionGroup("before")).count == 500)
        #expect(try await copy.texts("SELECT name FROM sqlite_schema WHERE name LIKE 'backup%'") == [])
        await copy.close()
    }

    @Test("A backup keeps files with their modes, and reports the numbers of its contents")
    func files() async throws {
        let fixture = try SQLiteFixture()
        let backup = try StoreBackup(path: try await makeBackup(fixture))
        #expect(backup.documentCount == 3 && backup.fileCount == 1)
        var files: [BackupFile] = []
        try backup.forEachFile { files.append($0) }
        #expect(files == [BackupFile(name: "photos/1", mode: 0o600, contents: Array(repeating: 7, count: 5_000))])
    }

    @Test("A file of the closed engine is backed up, its log included; one that is open elsewhere is not")
    func closed() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        try await engine.store(for: .gateway).set("t/a")
        let copy = fixture.directory.file("copy.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: copy + suffix)
        }
        let path = fixture.directory.file("backup")
        #expect(code { _ = try StoreBackup.make(of: fixture.path, to: path) { _ in } } == .unavailable)
        await engine.close()
        #expect(try StoreBackup.make(of: copy, to: path) { _ in }.documentCount == 1)
    }

    @Test("An existing file is not replaced, neither by a backup nor by restored documents")
    func existing() async throws {
        let fixture = try SQLiteFixture()
        let path = try await makeBackup(fixture)
        let engine = try fixture.open()
        await #expect(throws: StoreError.self) { try await engine.backUp(to: path) }
        await engine.close()
        let backup = try StoreBackup(path: path)
        #expect(code { try backup.restoreDocuments(to: fixture.path) } == .alreadyExists)
    }

    @Test("A failed backup leaves no file, and a closed engine makes none")
    func failure() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        let path = fixture.directory.file("backup")
        await #expect(throws: StoreError.self) { try await engine.backUp(to: path) { _ in throw StoreError.closed } }
        #expect(!FileManager.default.fileExists(atPath: path))
        await engine.close()
        await #expect(throws: StoreError.self) { try await engine.backUp(to: path) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("Files that are no backup, are cut off or have lost rows are refused")
    func damaged() async throws {
        let fixture = try SQLiteFixture()
        let path = try await makeBackup(fixture)
        let bytes = try Data(contentsOf: URL(filePath: path))
        let other = fixture.directory.file("other")
        func codeOf(_ data: Data) throws -> StoreError.Code? {
            try data.write(to: URL(filePath: other))
            return code { _ = try StoreBackup(path: other) }
        }
        #expect(try codeOf(bytes) == nil)
        #expect(try codeOf(Data("no backup".utf8)) == .failedPrecondition)
        #expect(try codeOf(Data()) == .failedPrecondition)
        #expect(code { _ = try StoreBackup(path: fixture.path) } == .failedPrecondition)
        for size in stride(from: 4_096, to: bytes.count, by: 4_096) {
            #expect(try codeOf(bytes.prefix(size)) == .dataLoss, "\(size)")
        }
        for sql in ["DELETE FROM documents WHERE document = 'b'", "DELETE FROM backup_files", "DELETE FROM backup"] {
            try bytes.write(to: URL(filePath: other))
            _ = try SQLiteEngine.run(sql, onFile: other)
            #expect(code { _ = try StoreBackup(path: other) } == .dataLoss, "\(sql)")
        }
        try bytes.write(to: URL(filePath: other))
        _ = try SQLiteEngine.run("INSERT INTO grdb_migrations VALUES ('99 future')", onFile: other)
        #expect(code { _ = try StoreBackup(path: other) } == .failedPrecondition)
    }

    @Test(
        "A backup with a trigger, a view or a table of another program is refused by name",
        arguments: [
            ("CREATE TRIGGER t AFTER INSERT ON documents BEGIN DELETE FROM documents; END", "trigger t"),
            ("CREATE VIEW v AS SELECT * FROM documents", "view v"),
            ("CREATE TABLE mine (a)", "table mine"),
            ("CREATE VIRTUAL TABLE mine USING fts5(a)", "table mine"),
        ])
    func foreignObjects(sql: String, object: String) async throws {
        let fixture = try SQLiteFixture()
        let path = try await makeBackup(fixture)
        let backup = try StoreBackup(path: path)
        _ = try SQLiteEngine.run(sql, onFile: path)
        // The file may also change between its check and the restore.
        let restored = fixture.directory.file("restored")
        for body in [{ _ = try StoreBackup(path: path) }, { try backup.restoreDocuments(to: restored) }] {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.code == .failedPrecondition && error?.message.contains("the \(object),") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: restored))
    }

    @Test("A database with indexes by fields and statistics of SQLite can be backed up and restored")
    func ownObjects() async throws {
        let fixture = try SQLiteFixture()
        let indexes = [FieldIndex(collectionGroup: "t", field: "id", type: .string)]
        let engine = try fixture.open(fieldIndexes: indexes, indexed: [.gateway])
        try await engine.store(for: .gateway).set("t/a", ["id": .string("a")])
        _ = try await engine.onWriter("ANALYZE")
        let backup = try await engine.backUp(to: fixture.directory.file("backup"))
        await engine.close()
        try backup.restoreDocuments(to: fixture.directory.file("restored"))
    }

    @Test("A database that still has the tables of a backup can be backed up")
    func remainingTables() async throws {
        let fixture = try SQLiteFixture()
        let path = try await makeBackup(fixture)
        // A power cut could undo their removal.
        try FileManager.default.removeItem(atPath: fixture.path)
        try FileManager.default.copyItem(atPath: path, toPath: fixture.path)
        let engine = try fixture.open()
        let backup = try await engine.backUp(to: fixture.directory.file("again"))
        await engine.close()
        #expect(backup.documentCount == 3 && backup.fileCount == 0)
    }

    @Test("An interrupted restore is repeated in its place, and leaves one file")
    func interruptedRestore() async throws {
        let fixture = try SQLiteFixture()
        let backup = try StoreBackup(path: try await makeBackup(fixture))
        let path = fixture.directory.file("restored")
        try Data(repeating: 1, count: 9_000).write(to: URL(filePath: StoreBackup.unfinishedPath(of: path)))
        try backup.restoreDocuments(to: path)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
        #expect(names.filter { $0.hasPrefix("restored") } == ["restored"])
        try SQLiteEngine.check(path: path)
    }

    @Test("Only a file that lacks a migration of the version is upgraded when it is opened, and no refused one")
    func upgrades() async throws {
        let fixture = try SQLiteFixture()
        let later = ["6 numeric ids", "7 later"]
        #expect(try !SQLiteEngine.upgrades(path: fixture.path))
        #expect(try !SQLiteEngine.upgrades(path: fixture.path, to: later))
        try await fixture.open().close()
        #expect(try !SQLiteEngine.upgrades(path: fixture.path))
        #expect(try SQLiteEngine.upgrades(path: fixture.path, to: later))
        try fixture.makeEarlier()
        #expect(try !SQLiteEngine.upgrades(path: fixture.path))
        #expect(try !SQLiteEngine.upgrades(path: fixture.path, to: later))
    }

    @Test("A backup of a build before 0.1.0 is refused with the commit that converts it")
    func earlierForm() async throws {
        let fixture = try SQLiteFixture()
        let path = try await makeBackup(fixture)
        _ = try SQLiteEngine.run(SQLiteFixture.earlierSteps, onFile: path)
        let error = await expectError(.failedPrecondition) { try StoreBackup(path: path) }
        #expect(error?.message.contains("a build of commit \(EarlierForm.lastConversion)") == true)
    }
}
