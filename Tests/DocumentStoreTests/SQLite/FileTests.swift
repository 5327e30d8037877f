import Foundation
import Testing

@testable import DocumentStore

@Suite("SQLite: the file")
struct FileTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "The database, its logs and its lock file are readable only by their owner",
        arguments: ["", "-wal", "-shm", ".lock"])
    func modes(suffix: String) async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        try await engine.store(for: .gateway).set("t/a")
        #expect(try mode(fixture.path + suffix) == 0o600)
        await engine.close()
    }

    @Test("A database file that others can read is made private")
    func looseMode() async throws {
        let fixture = try SQLiteFixture()
        #expect(
            FileManager.default.createFile(atPath: fixture.path, contents: nil, attributes: [.posixPermissions: 0o644]))
        let engine = try fixture.open()
        #expect(try mode(fixture.path) == 0o600)
        await engine.close()
    }

    @Test("Documents and the order of commit times survive reopening")
    func reopening() async throws {
        let fixture = try SQLiteFixture()
        let first = try fixture.open()
        let time = try await first.store(for: .gateway).commit([.set(DocumentPath("t/a"), ["n": .integer(1)])])
            .commitTime
        await first.close()

        fixture.clock.advance(by: .seconds(-60))
        let second = try fixture.open()
        let store = second.store(for: .gateway)
        #expect(try await store.fields("t/a") == ["n": .integer(1)])
        #expect(try await store.commit([]).commitTime == time.adding(.microseconds(1)))
        await second.close()
    }

    @Test("A commit is in the file before the engine closes")
    func crash() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        try await engine.store(for: .gateway).set("t/a", ["n": .integer(1)])
        let copy = try SQLiteFixture()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: fixture.path + suffix, toPath: copy.path + suffix)
        }
        let other = try copy.open()
        #expect(try await other.store(for: .gateway).fields("t/a") == ["n": .integer(1)])
        await other.close()
        await engine.close()
    }

    @Test("A second engine on a file is refused until the first is closed")
    func onlyOne() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        let error = await expectError(.unavailable) { try fixture.open() }
        #expect(error?.message.contains("open already") == true)
        try await engine.store(for: .gateway).set("t/a")
        await engine.close()
        let next = try fixture.open()
        #expect(try await next.store(for: .gateway).fields("t/a") == [:])
        await next.close()
    }

    @Test("A file of a newer version is refused")
    func newerVersion() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        _ = try await engine.onWriter("INSERT INTO grdb_migrations VALUES ('2 from the future')")
        await engine.close()
        let error = await expectError(.failedPrecondition) { try fixture.open() }
        #expect(error?.message.contains("newer version") == true)
    }

    @Test("A file of a build before 0.1.0 is refused with the commit that converts it, and stays as it is")
    func earlierForm() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        try await engine.store(for: .gateway).set("t/a")
        await engine.close()
        try fixture.makeEarlier()
        let error = await expectError(.failedPrecondition) { try fixture.open() }
        #expect(error?.message.contains("a build of commit \(EarlierForm.lastConversion)") == true)
        await expectError(.failedPrecondition) { try SQLiteEngine.check(path: fixture.path) }
        #expect(try SQLiteEngine.run("SELECT count(*) FROM grdb_migrations", onFile: fixture.path) == ["5"])
        #expect(try SQLiteEngine.run("SELECT count(*) FROM documents", onFile: fixture.path) == ["1"])
    }

    @Test("A file with the migrations of the last build before 0.1.0, which new files name too, opens")
    func lastBuild() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        try await engine.store(for: .gateway).set("t/a")
        await engine.close()
        let migrations = "SELECT identifier FROM grdb_migrations ORDER BY 1"
        let new = try SQLiteEngine.run(migrations, onFile: fixture.path)
        try fixture.makeEarlier()
        _ = try SQLiteEngine.run("INSERT INTO grdb_migrations VALUES ('6 numeric ids')", onFile: fixture.path)
        #expect(try SQLiteEngine.run(migrations, onFile: fixture.path) == new)
        #expect(try !SQLiteEngine.upgrades(path: fixture.path))
        let opened = try fixture.open()
        #expect(try await opened.store(for: .gateway).fields("t/a") == [:])
        await opened.close()
    }

    @Test("Another program's database is refused")
    func foreign() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        _ = try await engine.onWriter("PRAGMA application_id = 7")
        await engine.close()
        await expectError(.failedPrecondition) { try fixture.open() }
    }

    @Test("A file that is not a database fails with DATA_LOSS, and a missing directory with UNAVAILABLE")
    func unusable() async throws {
        let fixture = try SQLiteFixture()
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: fixture.path))
        await expectError(.dataLoss) { try fixture.open() }
        await expectError(.unavailable) { try SQLiteEngine(path: "\(fixture.path)/none/x.sqlite") }
    }

    @Test("A document with damaged fields fails with DATA_LOSS, and others are still readable")
    func damagedDocument() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        let store = engine.store(for: .gateway)
        try await store.set("t/a")
        try await store.set("t/b")
        _ = try await engine.onWriter("UPDATE documents SET fields = '{\"x\":1}' WHERE document = 'a'")
        await expectError(.dataLoss) { try await store.fields("t/a") }
        await expectError(.dataLoss) { try await store.commit([.merge(DocumentPath("t/a"), ["n": .null])]) }
        #expect(try await store.fields("t/b") == [:])
        await engine.close()
    }

    @Test("A deleted text is in no file after the next checkpoint")
    func secureDelete() async throws {
        let fixture = try SQLiteFixture()
        let engine = try fixture.open()
        let store = engine.store(for: .gateway)
        let token = "device-token-\(DocumentPath.randomID())"
        let long = String(repeating: token, count: 500)
        try await store.set("t/\(token)", ["token": .string(token), "long": .string(long)])
        try await store.set("t/other", ["token": .string("kept")])
        _ = try await engine.onWriter("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try fixture.directory.contents(of: SQLiteFixture.file).range(of: Data(token.utf8)) != nil)

        _ = try await store.commit([.delete(DocumentPath("t/\(token)"))])
        _ = try await engine.onWriter("PRAGMA wal_checkpoint(TRUNCATE)")
        for file in [SQLiteFixture.file, SQLiteFixture.file + "-wal"] {
            #expect(try fixture.directory.contents(of: file).range(of: Data(token.utf8)) == nil)
        }
        await engine.close()
    }

    @Test("The writing connection has the pragmas for durability")
    func pragmas() async throws {
        let engine = try SQLiteFixture().open()
        #expect(try await engine.onWriter("PRAGMA journal_mode") == ["\"wal\""])
        #expect(try await engine.onWriter("PRAGMA synchronous") == ["2"])
        #expect(try await engine.onWriter("PRAGMA secure_delete") == ["1"])
        await engine.close()
    }
}
