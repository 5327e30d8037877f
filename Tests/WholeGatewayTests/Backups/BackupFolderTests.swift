import DocumentStore
import Foundation
import Functions
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("Backups of a running gateway", .timeLimit(.minutes(10)))
struct BackupFolderTests {
    private func names(_ directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory + "/backups")) ?? []).sorted()
    }

    @Test(
        "POST /v1/backups makes a backup of documents and keys, and requires the admin token",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func endpoint() async throws {
        try await withGateway { gateway in
            try await Daemon(gateway.caller).register("phone", token: "emulated:1")
            #expect(try await gateway.caller.send(.post, "/v1/backups").status == 401)
            #expect(names(gateway.directory) == [])
            let answer = try await gateway.ask("/v1/backups", .post)
            #expect(answer.status == 200)
            let name = try #require(answer.body["file"]?.string)
            #expect(names(gateway.directory) == [name] && name.hasPrefix("requested-") && name.hasSuffix(".backup"))
            let backup = try StoreBackup(path: "\(gateway.directory)/backups/\(name)")
            #expect(answer.body["documents"] == .integer(Int64(backup.documentCount)) && backup.documentCount > 0)
            var files: [String] = []
            try backup.forEachFile { files.append($0.name) }
            #expect(files == ["admin-token", "gateway-key"])
            #expect(FileStatus(of: backup.path)?.mode == 0o600)
        }
    }

    @Test(
        "A gateway makes a daily backup if backups.keep is set, and none otherwise",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile), arguments: [0, 3])
    func daily(count: Int) async throws {
        try await withGateway(["backups.keep": "\(count)"]) { gateway in
            let job = gateway.gateway.storage.backups?.job(keeping: count)
            #expect((job == nil) == (count == 0) && (job == nil || job?.interval == .seconds(86_400)))
            guard count > 0 else { return }
            #expect(await eventually { names(gateway.directory).contains { $0.hasSuffix(".backup") } })
            #expect(names(gateway.directory).first?.hasPrefix("daily-") == true)
        }
    }

    @Test("Only the newest backups of a kind stay, and other files are not touched")
    func retention() async throws {
        try await withTemporaryDirectory { parent in
            let folder = BackupFolder(of: DataDirectory(existing: parent))
            let made = [
                "daily-20261123T000000Z-ffffffff.backup", "daily-20261124T000000Z-00000000.backup",
                "daily-20261125T000000Z-11111111.backup",
            ]
            let others = ["before-upgrade-20200101T000000Z-0.backup", "daily-notes.txt", "mine.backup"]
            try FileManager.default.createDirectory(atPath: parent + "/backups", withIntermediateDirectories: true)
            for name in made + others {
                try Data().write(to: URL(filePath: "\(parent)/backups/\(name)"))
            }
            try folder.keep(2, of: .daily)
            #expect(names(parent) == (made.dropFirst() + others).sorted())
        }
    }

    @Test("A start removes what an interrupted backup has left")
    func unfinished() async throws {
        try await withDataDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/backups", withIntermediateDirectories: true)
            for name in ["daily-1.backup.partial", "daily-1.backup.partial-journal", "daily-2.backup"] {
                try Data().write(to: URL(filePath: "\(directory)/backups/\(name)"))
            }
            try await withGateway(in: directory) { _ in #expect(names(directory) == ["daily-2.backup"]) }
        }
    }

    @Test(
        "A disk without space for a backup refuses it with a reason, and leaves no file",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func fullDisk() async throws {
        try await withGateway(["data.minimumFreeBytes": "9000000000000000"]) { gateway in
            let answer = try await gateway.ask("/v1/backups", .post)
            #expect(answer.status == 503)
            #expect(answer.text.contains("bytes are needed, and 0 may be used"), "\(answer.text)")
            #expect(names(gateway.directory) == [])
        }
    }

    @Test(
        "Before a newer version updates the database, it makes a backup with the earlier tables",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func upgrade() async throws {
        try await withDataDirectory { directory in
            try await withGateway(in: directory) { gateway in
                _ = try await Daemon(gateway.caller).register("phone", token: "emulated:1")
            }
            #expect(names(directory) == [])
            let backup = OfflineBackup(of: DataDirectory(existing: directory))
            try backup.makeBeforeUpgrade(CollectedLog().logger)
            #expect(names(directory) == [])
            try backup.makeBeforeUpgrade(CollectedLog().logger, if: { _ in true })
            let name = try #require(names(directory).first)
            #expect(names(directory).count == 1 && name.hasPrefix("before-upgrade-"))
            #expect(try StoreBackup(path: "\(directory)/backups/\(name)").documentCount > 0)
        }
    }
}
