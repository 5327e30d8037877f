import DocumentStore
import Foundation
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("Restoring a backup", .timeLimit(.minutes(10)))
struct RestoringTests {
    private func contents(of directory: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            contents[name] = FileManager.default.contents(atPath: directory + "/" + name)
        }
        return contents
    }

    @Test(
        "A restored directory has the same files with the gateway's modes, and none that belong to a process",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func files() async throws {
        try await withTemporaryDirectory { parent in
            let directory = DataDirectory(existing: parent + "/data")
            // With Web Push, so that its key is a file.
            try await withGateway(["webpush.subject": "mailto:ops@pushgate.dev"], in: directory.path) { gateway in
                try await Daemon(gateway.caller).register("phone", token: "emulated:1")
                for (name, text) in [("photos/task/1", "photo"), ("acme/authority/a.pem", "key")] {
                    let file = URL(filePath: directory.path + "/" + name)
                    try FileManager.default.createDirectory(
                        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data(text.utf8).write(to: file)
                }
            }
            try Data("{}".utf8).write(to: URL(filePath: directory.path + "/firestore.env"))
            for (name, mode) in [("firestore.env", 0o644), ("gateway-key", 0o666), ("photos/task/1", 0o777)] {
                #expect(chmod("\(directory.path)/\(name)", mode_t(mode)) == 0)
            }
            try Data("-".utf8).write(to: URL(filePath: directory.path + "/ca.pem"))
            let backup = try OfflineBackup(of: directory).make(at: parent + "/backup")
            let restored = try Restoration.restore(backup, to: parent + "/new")
            var (before, after) = (try contents(of: directory.path), try contents(of: restored.path))
            for name in ["lock", "pushgate.sqlite", "pushgate.sqlite.lock"] {
                before[name] = nil
                after[name] = nil
            }
            #expect(before == after && after.count == 7, "\(after.keys.sorted())")
            #expect(after["webpush-key"] != nil)
            #expect(FileStatus(of: restored.path)?.mode == 0o700)
            for name in after.keys {
                let mode = FileStatus(of: "\(restored.path)/\(name)")?.mode
                #expect(mode == (name == "ca.pem" ? 0o644 : 0o600), "\(name)")
            }
        }
    }

    @Test("A directory with contents is not restored to, and keeps them")
    func notEmpty() async throws {
        try await withTemporaryDirectory { parent in
            let backup = try await emptyBackup(in: parent, files: [])
            try FileManager.default.createDirectory(atPath: parent + "/new", withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(filePath: parent + "/new/gateway-key"))
            #expect(throws: GatewayError.self) { try Restoration.restore(backup, to: parent + "/new") }
            #expect(try contents(of: parent + "/new") == ["gateway-key": Data("mine".utf8)])
        }
    }

    @Test(
        "A file whose name leads out of the directory, or is none of the gateway's, restores nothing",
        arguments: [
            "../escaped", "/escaped", "photos/../../escaped", "photos//1", "", ".", "a/b/c/d", "pushgate.sqlite",
            "pushgate.sqlite-wal", "lock", "address", "backups/1", "photos/.hidden", "a\nb",
        ])
    func hostileName(name: String) async throws {
        try await withTemporaryDirectory { parent in
            let backup = try await emptyBackup(in: parent, files: ["admin-token", name])
            #expect(throws: GatewayError.self) { try Restoration.restore(backup, to: parent + "/deep/er/new") }
            let names = try FileManager.default.subpathsOfDirectory(atPath: parent)
            #expect(!names.contains { $0.contains("new") || $0.contains("escaped") }, "\(names)")
        }
    }

    // MARK: Interrupted restores

    /// Makes a directory as a restore leaves it that is killed after it wrote the key.
    private func interruptedRestore(in parent: String) throws -> DataDirectory {
        let directory = try DataDirectory(creating: parent + "/new")
        try directory.files.write("key", to: "gateway-key")
        try FileManager.default.createDirectory(
            atPath: directory.path + "/photos/task", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: directory.path + "/photos/task/1"))
        try Data([1, 2, 3]).write(to: URL(filePath: directory.path + "/pushgate.sqlite.restoring"))
        try Data().write(to: URL(filePath: directory.path + "/pushgate.sqlite.restoring-wal"))
        return directory
    }

    @Test(
        "No gateway, import, copy, backup or new account uses a directory with an interrupted restore",
        arguments: [true, false])
    func interrupted(isImporting: Bool) async throws {
        try await withTemporaryDirectory { parent in
            let directory = try interruptedRestore(in: parent)
            let before = try contents(of: directory.path)
            var configuration = GatewayConfiguration()
            configuration.data.directory = directory.path
            let logger = CollectedLog().logger
            let errors = [
                #expect(throws: GatewayError.self) {
                    _ = try GatewayStorage(configuration, isImporting: isImporting, logger)
                },
                #expect(throws: GatewayError.self) {
                    _ = try OfflineBackup(of: directory).make(at: parent + "/backup")
                },
                #expect(throws: GatewayError.self) {
                    _ = try FirebaseFiles(
                        configuration: configuration, addresses: ClientAddresses(configuration, url: nil))
                },
                await #expect(throws: GatewayError.self) {
                    _ = try await StoreCopy.copy(
                        from: .directory(directory.path), to: .directory(parent + "/copy"), configuration,
                        logger: logger)
                },
            ]
            let fact = "a restore to \(directory.path) was begun and has not ended"
            for error in errors {
                #expect(error?.description.hasPrefix(fact) == true)
                #expect(error?.description.contains("Repeat “pushgate restore”") == true)
            }
            var after = try contents(of: directory.path)
            after["lock"] = nil
            #expect(before == after)
        }
    }

    @Test("A repeated restore leaves nothing of the interrupted one, and no mark")
    func repeated() async throws {
        try await withTemporaryDirectory { parent in
            let backup = try await emptyBackup(in: parent, files: ["admin-token"])
            let directory = try interruptedRestore(in: parent)
            _ = try Restoration.restore(backup, to: directory.path)
            #expect(try Set(contents(of: directory.path).keys) == ["admin-token", "pushgate.sqlite"])
            #expect(directory.restoreMark.unfinished == nil)
        }
    }

    @Test("While a restore runs, another one is refused and removes nothing")
    func twoRestores() async throws {
        try await withTemporaryDirectory { parent in
            let backup = try await emptyBackup(in: parent, files: ["admin-token"])
            let directory = try interruptedRestore(in: parent)
            let before = try contents(of: directory.path)
            let mark = try OpenFile(directory.path + "/pushgate.sqlite.restoring", O_RDWR)
            #expect(try mark.tryLock())
            let error = #expect(throws: GatewayError.self) { try Restoration.restore(backup, to: directory.path) }
            #expect(error?.description.contains("another process restores a backup to it") == true)
            #expect(try contents(of: directory.path) == before)
        }
    }

    @Test("A directory with a database is not cleared, even if it has the mark of a restore")
    func markBesideDatabase() async throws {
        try await withTemporaryDirectory { parent in
            let backup = try await emptyBackup(in: parent, files: ["admin-token"])
            let directory = try interruptedRestore(in: parent)
            try Data([9]).write(to: URL(filePath: directory.database.path))
            #expect(throws: GatewayError.self) { try Restoration.restore(backup, to: directory.path) }
            #expect(FileManager.default.contents(atPath: directory.database.path) == Data([9]))
            #expect(FileManager.default.contents(atPath: directory.path + "/gateway-key") != nil)
        }
    }

    @Test("A failed restore to an existing directory leaves it empty, with its mode")
    func failure() async throws {
        try await withTemporaryDirectory { parent in
            let backup = try await emptyBackup(in: parent, files: ["admin-token", "zz/../x"])
            try FileManager.default.createDirectory(
                atPath: parent + "/new", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
            #expect(throws: GatewayError.self) { try Restoration.restore(backup, to: parent + "/new") }
            #expect(try contents(of: parent + "/new").isEmpty)
            #expect(FileStatus(of: parent + "/new")?.mode == 0o750)
        }
    }

    /// Makes a backup without documents, with files of the given names.
    private func emptyBackup(in parent: String, files: [String]) async throws -> StoreBackup {
        let engine = try SQLiteEngine(path: parent + "/source.sqlite")
        let backup = try await engine.backUp(to: parent + "/backup") { add in
            for name in files { try add(BackupFile(name: name, mode: 0o600, contents: [1])) }
        }
        await engine.close()
        return backup
    }
}
