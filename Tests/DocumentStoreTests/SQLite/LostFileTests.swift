import Foundation
import Testing

@testable import DocumentStore

@Suite("SQLite: files that disappear")
struct LostFileTests {
    /// A change of the files of an open database.
    enum Change: CaseIterable {
        case removeDatabase, replaceDatabase, emptyDatabase, overwriteDatabase, removeLog, replaceLog, halveLog,
            emptyLog, holeInLog

        func make(_ path: String) throws {
            let log = path + "-wal"
            switch self {
            case .removeDatabase: try FileManager.default.removeItem(atPath: path)
            case .replaceDatabase: try Self.replace(path)
            case .emptyDatabase: try #require(truncate(path, 0) == 0)
            case .overwriteDatabase: try Self.overwrite(path)
            case .removeLog: try FileManager.default.removeItem(atPath: log)
            case .replaceLog: try Self.replace(log)
            case .halveLog: try #require(truncate(log, Self.size(of: log) / 2) == 0)
            case .emptyLog: try #require(truncate(log, 0) == 0)
            case .holeInLog:
                // As if a commit that had begun wrote its frames behind the end.
                let size = try Self.size(of: log)
                try #require(truncate(log, size / 2) == 0 && truncate(log, size) == 0)
            }
        }

        private static func size(of path: String) throws -> off_t {
            off_t(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
        }

        /// Puts a copy in the place of a file.
        private static func replace(_ path: String) throws {
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            try #require(rename(path + ".copy", path) == 0)
        }

        /// Writes zeros into a file. The descriptor stays open, because its end would end SQLite's locks.
        private static func overwrite(_ path: String) throws {
            let file = open(path, O_WRONLY)
            try #require(file >= 0 && pwrite(file, [UInt8](repeating: 0, count: 100), 100, 0) == 100)
        }
    }

    private func write(_ count: Int, to engine: SQLiteEngine) async throws {
        let text = String(repeating: "x", count: 3_000)
        for id in 0..<count { try await engine.store(for: .gateway).set("t/\(id)", ["text": .string(text)]) }
    }

    @Test(
        "After a file of the database was lost, each write fails and no file is made in its place",
        arguments: Change.allCases)
    func loss(change: Change) async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        try await write(40, to: engine)
        try await engine.checkFiles()
        try change.make(fixture.path)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path)
        for id in ["new", "newer"] {
            let error = await #expect(throws: StoreError.self) { try await engine.store(for: .gateway).set("t/\(id)") }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("while it was open; stop the server and restore a backup") == true)
        }
        await #expect(throws: StoreError.self) { try await engine.checkFiles() }
        #expect(engine.hasLostFiles)
        #expect((engine as any DocumentEngine).watchedFiles?.hasLostFiles == true)
        await engine.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path) == names)
    }

    @Test("A loss is found without a write")
    func check() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        try await write(1, to: engine)
        #expect(!engine.hasLostFiles)
        try Change.halveLog.make(fixture.path)
        let error = await #expect(throws: StoreError.self) { try await engine.checkFiles() }
        #expect(error?.message.hasPrefix("the log \(fixture.path)-wal was cut off after ") == true)
        await engine.close()
    }

    @Test("A log that starts over, and a long one that becomes short, are not lost")
    func startingOver() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        let text = String(repeating: "x", count: 900_000)
        for id in 0..<80 { try await engine.store(for: .gateway).set("t/\(id)", ["text": .string(text)]) }
        try await engine.checkFiles()
        await engine.close()
        let again = try fixture.open()
        try await again.store(for: .gateway).set("t/a")
        #expect(!again.hasLostFiles)
        await again.close()
    }

    // MARK: The next start

    /// Copies the files of an open database, as a process leaves them that is killed.
    private func killed(_ fixture: SQLiteFixture) throws -> String {
        let copy = fixture.directory.file("copy.sqlite")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: copy + suffix)
        }
        return copy
    }

    @Test("A log that was cut off, emptied or removed after a kill ends before its commits; a whole one does not")
    func index() async throws {
        for change in [nil, Change.halveLog, .emptyLog, .removeLog] {
            let fixture = try SQLiteFixture()
            let engine = try fixture.open()
            try await write(40, to: engine)
            let copy = try killed(fixture)
            try change?.make(copy)
            #expect(SQLiteEngine.hasLostCommits(path: copy) == (change != nil), "\(String(describing: change))")
            // The commits that are left are read, and the next start has nothing to report.
            let next = try SQLiteEngine(path: copy)
            let count = try await next.store(for: .gateway).ids(Query.collectionGroup("t")).count
            #expect(change == nil ? count == 40 : count < 40)
            await next.close()
            #expect(!SQLiteEngine.hasLostCommits(path: copy))
            await engine.close()
        }
    }

    @Test("A log with a hole ends before its commits")
    func hole() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        try await write(40, to: engine)
        let copy = try killed(fixture)
        let size = try FileManager.default.attributesOfItem(atPath: copy + "-wal")[.size] as? Int ?? 0
        try #require(truncate(copy + "-wal", off_t(size / 2)) == 0 && truncate(copy + "-wal", off_t(size)) == 0)
        #expect(SQLiteEngine.hasLostCommits(path: copy))
        await engine.close()
    }

    @Test("A log of which the database has all pages may be missing, and so may all files")
    func copied() async throws {
        let fixture = try SQLiteFixture()
        #expect(!SQLiteEngine.hasLostCommits(path: fixture.path))
        let engine = try fixture.open()
        try await write(40, to: engine)
        _ = try await engine.onWriter("PRAGMA wal_checkpoint(PASSIVE)")
        let copy = try killed(fixture)
        try Change.removeLog.make(copy)
        #expect(!SQLiteEngine.hasLostCommits(path: copy))
        await engine.close()
    }
}
