import DocumentStore
import Foundation
import TestSupport
import Testing

@testable import Gateway

@Suite("Restoring a backup", .timeLimit(.minutes(1)))
struct RestoringTests {
    private func contents(of directory: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            contents[name] = FileManager.default.contents(atPath: directory + "/" + name)
        }
        return contents
    }

    @Test(
        "A restored directory has the same files with the same modes, and none that belong to a process",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func files() async throws {
        try await withTemporaryDirectory { parent in
            let directory = DataDirectory(existing: parent + "/data")
            try await withGateway(in: directory.path) { gateway in
                try await Daemon(gateway.caller).register("phone", token: "emulated:1")
                for (name, text) in [("photos/task/1", "photo"), ("acme/authority/a.pem", "key")] {
                    let file = URL(filePath: directory.path + "/" + name)
                    try FileManager.default.createDirectory(
                        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data(text.utf8).write(to: file)
                }
            }
            try Data("{}".utf8).write(to: URL(filePath: directory.path + "/firestore.env"))
            #expect(chmod(directory.path + "/firestore.env", 0o644) == 0)
            let backup = try directory.backUp(to: parent + "/backup")
            let restored = try DataDirectory.restoring(backup, to: parent + "/new")
            var (before, after) = (try contents(of: directory.path), try contents(of: restored.path))
            for name in ["lock", "pushgate.sqlite", "pushgate.sqlite.lock"] {
                before[name] = nil
                after[name] = nil
            }
            #expect(before == after && after.count == 5, "\(after.keys.sorted())")
            #expect(FileStatus(of: restored.path)?.mode == 0o700)
            #expect(FileStatus(of: restored.path + "/firestore.env")?.mode == 0o644)
            #expect(FileStatus(of: restored.path + "/gateway-key")?.mode == 0o600)
        }
    }

    @Test("A directory with contents is not restored to, and keeps them")
    func notEmpty() async throws {
        try await withTemporaryDirectory { parent in
            let backup = try await emptyBackup(in: parent, files: [])
            try FileManager.default.createDirectory(atPath: parent + "/new", withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(filePath: parent + "/new/gateway-key"))
            #expect(throws: GatewayError.self) { try DataDirectory.restoring(backup, to: parent + "/new") }
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
            #expect(throws: GatewayError.self) { try DataDirectory.restoring(backup, to: parent + "/deep/er/new") }
            let names = try FileManager.default.subpathsOfDirectory(atPath: parent)
            #expect(!names.contains { $0.contains("new") || $0.contains("escaped") }, "\(names)")
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
