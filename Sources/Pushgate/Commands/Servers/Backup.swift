import ArgumentParser
import DocumentStore
import Foundation
import Gateway
import HTTPTypes
import Instance
import JSON

/// The verb `backup`.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Back up a gateway's data to one file.",
        discussion: """
            The file has the documents, the keys and the photos: all of the data directory. It is a secret, and only \
            this user can read it. A running gateway goes on while it makes the backup; “restore” puts it back.
            """)

    @Argument(help: ArgumentHelp("The path of the new file, such as pushgate-2026-11-25.backup.", valueName: "FILE"))
    var file: String

    @OptionGroup var options: LocalGatewayOptions

    func run() async throws {
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandError("\(file) exists already. Name another file, or remove it.")
        }
        let backup = try await ProgressLine.showing { try await options.gateway.backUp(to: file, $0) }
        guard !options.json else { return print(backup.json(path: file).text) }
        print(
            """
            \(file): \(backup.contents); checked
            Anyone who has this file can act as this gateway: keep it like a key.
            """)
    }
}

/// The verb `restore`.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restore a backup to a new data directory.",
        discussion: """
            The directory must be missing or empty. Until the restore has ended no gateway starts on it; one that was \
            interrupted begins again when it is repeated. “serve” runs on it with the registrations, keys and unsent \
            messages of the backup. Do not let the gateway that it came from run on: messages that both have would be sent twice.
            """)

    @Argument(help: ArgumentHelp("The file that “backup” wrote.", valueName: "FILE"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The data directory to create. Default: PUSHGATE_DATA_DIRECTORY, otherwise ./pushgate-data.",
            valueName: "DIRECTORY"))
    var dataDirectory: String?

    @Flag(help: "Only check the file, and restore nothing.")
    var check = false

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() throws {
        guard FileManager.default.fileExists(atPath: file) else { throw CommandError("there is no file \(file).") }
        let backup = try readBackup(file)
        guard !check else {
            return print(json ? backup.json(path: file).text : "\(file) is whole: \(backup.contents)")
        }
        let path = dataDirectory ?? ProcessInfo.variable("PUSHGATE_DATA_DIRECTORY") ?? GatewayOptions.directoryOfServe
        let line = ProgressLine()
        defer { line.clear() }
        let directory = try Restoration.restore(backup, to: path, report: line.report)
        line.clear()
        print(
            json
                ? backup.json(path: directory.path).text
                : """
                restored \(backup.contents), to \(directory.path)
                Start it: pushgate serve --data-directory \(directory.path)
                """)
    }
}

extension StoreBackup {
    /// The contents in words.
    fileprivate var contents: String { "\(documentCount) documents and \(fileCount) files, as of \(madeAt)" }

    fileprivate func json(path: String) -> JSONValue {
        [
            "path": .string(path), "made_at": .string(madeAt.description),
            "documents": .integer(Int64(documentCount)), "files": .integer(Int64(fileCount)),
        ]
    }
}

/// Reads a backup and checks that it is whole.
func readBackup(_ path: String) throws -> StoreBackup {
    do throws(StoreError) {
        return try StoreBackup(path: path)
    } catch {
        throw CommandError("\(path): \(error.message).")
    }
}

extension GatewayOptions {
    /// Backs up the data directory to a new file, whether a gateway runs on it or not.
    func backUp(to file: String, _ line: ProgressLine) async throws -> StoreBackup {
        let directory = try await directory(isLocal: true)
        let isRunning = directory.owner.run { directory.lock.isTaken }
        return try await isRunning
            ? requestBackup(of: directory, to: file, line)
            : OfflineBackup(of: directory).make(at: file, report: line.report)
    }

    /// Lets the running gateway make a backup in its directory, and moves it.
    private func requestBackup(
        of directory: DataDirectory, to file: String, _ line: ProgressLine
    ) async throws -> StoreBackup {
        let folder = BackupFolder(of: directory)
        let answer = try await withThrowingTaskGroup(of: JSONValue?.self) { group -> JSONValue? in
            group.addTask { try await admin(.post, "/v1/backups", bytes: nil, deadline: .seconds(3_600)).body }
            if line.isShown {
                group.addTask {
                    try? await watch(folder, of: directory, line)
                    return nil
                }
            }
            defer { group.cancelAll() }
            // The one that watches ends only when it is cancelled.
            guard let first = try await group.next() else { return nil }
            return first
        }
        guard let name = answer?["file"]?.string else { throw CommandError("the gateway named no file.") }
        do throws(GatewayError) {
            try folder.move(name, to: file)
        } catch {
            throw CommandError("cannot move the backup to \(file): \(error). It is in \(folder.path(of: name)).")
        }
        return try readBackup(file)
    }

    /// Shows how large the backup is that the gateway writes, until the task is cancelled.
    private func watch(_ folder: BackupFolder, of directory: DataDirectory, _ line: ProgressLine) async throws {
        while true {
            // The sizes alone are read. The request beside this may not have its user changed.
            if let done = folder.unfinishedBytes, let total = directory.database.size {
                line.report(TransferProgress("backing up", .bytes, done: done, of: max(done, Int(total))))
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
