import DocumentStore
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("Export and import of all documents", .timeLimit(.minutes(10)))
struct TransferTests {
    private static let other = DatabaseID(project: "demo-a", database: "games")

    /// Fields of every type, and names and texts that JSON has to escape.
    private static let fields: Fields = [
        "null": .null, "true": .boolean(true), "large": .integer(.max), "small": .integer(.min),
        "zero": .double(-0.0), "nan": .double(.nan), "infinite": .double(-.infinity), "half": .double(0.5),
        "text": .string("é\u{0}\"\\\n\u{2028}"), "bytes": .bytes([0, 255]),
        "time": .timestamp(Timestamp(microseconds: 1_234_567)), "place": .geoPoint(latitude: 1.5, longitude: -2),
        "name": .reference("projects/demo-a/databases/games/documents/a/b"),
        "list": .array([.integer(1), .map(["deep": .array([.null])])]), "odd name`\\": .map([:]),
    ]

    /// Makes a data directory with documents in two databases, and returns a backup of it.
    private func backup(in parent: String, documents count: Int = 3) async throws -> StoreBackup {
        let path = parent + "/old"
        let directory = try DataDirectory(creating: path)
        let engine = try SQLiteEngine(
            SQLiteStoreConfiguration(path: directory.database.path), logger: .silent)
        let writes = try (0..<count).map { Write.set(try DocumentPath("rooms/\($0)"), Self.fields) }
        _ = try await engine.store(for: .gateway).commit(writes)
        _ = try await engine.store(for: Self.other).commit([
            .set(try DocumentPath("a/b/c/d"), ["token": .string("whole")])
        ])
        await engine.close()
        return try backup(of: directory, in: parent)
    }

    private func backup(of directory: DataDirectory, in parent: String) throws -> StoreBackup {
        try OfflineBackup(of: directory).make(at: parent + "/one.backup")
    }

    private func exported(_ backup: StoreBackup, to path: String) async throws -> StoreExport {
        try await BackupExport(of: backup, to: path).write()
    }

    private func imported(_ export: StoreExport, into directory: String) async throws -> Int {
        var configuration = GatewayConfiguration()
        configuration.data.directory = directory
        return try await StoreImport(of: export, configuration, logger: .silent).run()
    }

    @Test("All documents of all databases are the same after an export and an import, and the file is private")
    func roundTrip() async throws {
        try await withTemporaryDirectory { parent in
            let file = parent + "/all.jsonl"
            let export = try await exported(try await backup(in: parent), to: file)
            #expect(export.documentCount == 4 && FileAccess(of: file)?.openMode == nil)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: parent).sorted() == [
                    "all.jsonl", "old", "one.backup",
                ])
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 6)
            for line in lines { _ = try JSONValue(parsing: String(line)) }
            let again = try await exported(try StoreBackup(path: parent + "/one.backup"), to: parent + "/2")
            #expect(again.digest == export.digest)
            let checked = try StoreExport(path: file)
            #expect(checked.documentCount == 4 && checked.digest == export.digest)
            let count = try await imported(checked, into: parent + "/new")
            #expect(count == 4)
            let engine = try SQLiteEngine(
                SQLiteStoreConfiguration(path: DataDirectory(existing: parent + "/new").database.path), logger: .silent)
            #expect(try await Set(engine.databases()) == [.gateway, Self.other])
            let room = try await engine.store(for: .gateway).document(at: DocumentPath("rooms/1"))
            #expect(
                room.map { "\($0.fields.sorted { $0.key < $1.key })" } == "\(Self.fields.sorted { $0.key < $1.key })")
            let deep = try await engine.store(for: Self.other).document(at: DocumentPath("a/b/c/d"))
            #expect(deep?.fields == ["token": .string("whole")])
            await engine.close()
        }
    }

    @Test("Documents with names that only earlier versions accepted are the same after an export and an import")
    func earlierNames() async throws {
        let paths = ["t/__id0__", "t/__id07__", "__id7__/a"].map { DocumentPath(unchecked: $0) }
        let reference = Value.reference(paths[2].name(in: Self.other))
        try await withTemporaryDirectory { parent in
            let directory = try DataDirectory(creating: parent + "/old")
            let engine = try SQLiteEngine(SQLiteStoreConfiguration(path: directory.database.path), logger: .silent)
            _ = try await engine.store(for: Self.other).commitTransferred(paths.map { .set($0, ["ref": reference]) })
            await engine.close()
            let file = parent + "/all.jsonl"
            _ = try await exported(try backup(of: directory, in: parent), to: file)
            let count = try await imported(try StoreExport(path: file), into: parent + "/new")
            #expect(count == paths.count)
            let new = try SQLiteEngine(
                SQLiteStoreConfiguration(path: DataDirectory(existing: parent + "/new").database.path), logger: .silent)
            let found = try await new.store(for: Self.other).documents(at: paths)
            #expect(found.allSatisfy { $0?.fields == ["ref": reference] })
            await new.close()
        }
    }

    @Test("Databases that were stored under names that no client can use are the same after an export and an import")
    func otherNames() async throws {
        let databases = ["caf\u{E9}", "cafe\u{301}", "a\u{0}", "a"].map { DatabaseID(project: $0, database: "x y\n") }
        try await withTemporaryDirectory { parent in
            let directory = try DataDirectory(creating: parent + "/old")
            let engine = try SQLiteEngine(SQLiteStoreConfiguration(path: directory.database.path), logger: .silent)
            for database in databases {
                let fields: Fields = ["name": .string(database.project)]
                _ = try await engine.store(for: database).commit([.set(try DocumentPath("a/b"), fields)])
            }
            await engine.close()
            let file = parent + "/all.jsonl"
            let export = try await exported(try backup(of: directory, in: parent), to: file)
            #expect(export.documentCount == databases.count)
            let count = try await imported(try StoreExport(path: file), into: parent + "/new")
            #expect(count == databases.count)
            let new = try SQLiteEngine(
                SQLiteStoreConfiguration(path: DataDirectory(existing: parent + "/new").database.path), logger: .silent)
            #expect(try await Set(new.databases()) == Set(databases))
            for database in databases {
                let document = try await new.store(for: database).document(at: DocumentPath("a/b"))
                #expect(document?["name"]?.string?.utf8.elementsEqual(database.project.utf8) == true)
            }
            await new.close()
        }
    }

    @Test(
        "A damaged or shortened file is refused before anything is written",
        arguments: ["short", "changed", "none", "newer"])
    func damage(kind: String) async throws {
        try await withTemporaryDirectory { parent in
            let file = parent + "/all.jsonl"
            _ = try await exported(try await backup(in: parent), to: file)
            var text = try String(contentsOfFile: file, encoding: .utf8)
            switch kind {
            case "short": text = text.split(separator: "\n").dropLast().joined(separator: "\n")
            case "changed": text = text.replacing("\"whole\"", with: "\"other\"")
            case "newer": text = text.replacing("\"version\":1", with: "\"version\":2")
            default: text = "{}\n"
            }
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let message = [
                "short": "not whole", "changed": "is damaged", "newer": "newer version", "none": "is not an export",
            ]
            let error = #expect(throws: GatewayError.self) { _ = try StoreExport(path: file) }
            #expect(error?.description.contains(message[kind] ?? "?") == true, "\(error?.description ?? "")")
        }
    }

    @Test("An interrupted import goes on where it was, and until then no gateway starts on the directory")
    func interrupted() async throws {
        try await withTemporaryDirectory { parent in
            let (file, path) = (parent + "/all.jsonl", parent + "/new")
            let export = try await exported(try await backup(in: parent, documents: 1_200), to: file)
            // An import that ended after its first commit.
            let directory = try DataDirectory(creating: path)
            try directory.importProgress.note(500, of: export.digest)
            #expect(throws: GatewayError.self) { try directory.importProgress.check() }
            let elsewhere = parent + "/elsewhere"
            try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
            let other = try await exported(try await backup(in: elsewhere), to: elsewhere + "/all.jsonl")
            await #expect(throws: GatewayError.self) {
                _ = try await imported(other, into: path)
            }
            #expect(try await imported(export, into: path) == 701)
            #expect(!FileManager.default.fileExists(atPath: path + "/import-progress"))
            await #expect(throws: GatewayError.self) {
                _ = try await imported(export, into: path)
            }
        }
    }
}
