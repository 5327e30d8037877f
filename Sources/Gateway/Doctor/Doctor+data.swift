import DocumentStore
import Foundation
import Instance
import Messaging
import PostgreSQLStore

/// The data directory: its rights, its disk and its database.
extension Doctor {
    private static let part = "data"

    var dataDirectory: [Finding] {
        let path = directory.path
        guard FileManager.default.fileExists(atPath: path) else {
            let finding = Finding.ok(Self.part, "\(path) does not exist yet; the first start creates it")
            return configuration.store.url == nil ? [finding] : [finding, databaseServer]
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            return [
                .failed(
                    Self.part, "this user cannot write to \(path)", because: "The gateway cannot start.",
                    advice: "Give the directory to the user that runs the gateway, or run doctor as that user.")
            ]
        }
        return [rights, space, flushes, unfinished ?? database]
    }

    /// The finding of a restore or an import that has not ended; `nil` if there is none.
    private var unfinished: Finding? {
        (directory.restoreMark.unfinished ?? directory.importProgress.unfinished).map { problem in
            .failed(
                "database", problem.fact, because: "The gateway does not start, since its data would be incomplete.",
                advice: problem.advice)
        }
    }

    private var rights: Finding {
        guard let mode = directory.openMode else {
            return .ok(Self.part, "\(directory.path) is accessible to its owner only")
        }
        return .warning(
            Self.part, "other users can read \(directory.path) (mode \(mode))",
            because: "It has the admin token, keys and device tokens.", advice: "Run chmod 700 \(directory.path).")
    }

    // MARK: The disk

    private var space: Finding {
        let minimum = configuration.data.minimumFreeBytes.map { Int64($0) }
        guard let space = DiskProbe(of: directory).space(minimumFree: minimum) else {
            return .warning(
                "disk", "the free space cannot be read", because: "The gateway cannot refuse new data in time.",
                advice: "Use a file system that reports its free space.")
        }
        let (free, bound) = (space.free / 1_048_576, space.minimum / 1_048_576)
        let fact = "\(free) MiB are free on the disk of the data, and new data is refused below \(bound) MiB"
        // A margin of a quarter warns before requests fail.
        if free > bound + bound / 4 { return .ok("disk", fact) }
        let advice = "Free space, or lower data.minimumFreeBytes."
        let reason = "Messages are refused while less is free; accepted ones are still delivered."
        return free >= bound
            ? .warning("disk", fact, because: reason, advice: advice)
            : .failed("disk", fact, because: reason, advice: advice)
    }

    private static let slowFlush = Duration.milliseconds(20)

    private var flushes: Finding {
        guard let duration = try? DiskProbe(of: directory).medianFlush() else {
            return .failed(
                "disk", "a file cannot be written to \(directory.path) and flushed",
                because: "Nothing can be accepted.", advice: "Look for errors of the disk, or for a full one.")
        }
        let fact =
            "the disk flushes a write in \(duration.formatted(.units(allowed: [.milliseconds], fractionalPart: .show(length: 1))))"
        guard duration > Self.slowFlush else { return .ok("disk", fact) }
        return .warning(
            "disk", fact, because: "A message is accepted after one flush; all that wait share it.",
            advice: "Use a local SSD for the data directory; network file systems are slow, and not safe for SQLite.")
    }

    // MARK: The database

    private var database: Finding { configuration.store.url == nil ? databaseFile : databaseServer }

    private var databaseServer: Finding {
        let reason: String
        do {
            guard let settings = try configuration.store.postgreSQL() else { return databaseFile }
            return .ok(
                "database", "PostgreSQL \(try PostgreSQLEngine.serverVersion(settings)) answers and accepts changes")
        } catch let error as StoreError {
            reason = error.explanation
        } catch {
            reason = "\(error)"
        }
        return .failed(
            "database", "store.url: \(reason)", because: "The gateway does not start.",
            advice: "Correct store.url or the password, or start the database.")
    }

    private var databaseFile: Finding {
        let path = directory.database.path
        guard FileManager.default.fileExists(atPath: path) else {
            // If it was removed just now, the gateway ends as soon as it finds the loss.
            guard !directory.lock.isTaken else {
                return .ok("database", "the running gateway has none in its directory: its documents are in PostgreSQL")
            }
            guard let problem = directory.database.loss else {
                return .ok("database", "there is no database yet; the first start creates it")
            }
            return .failed(
                "database", problem.fact,
                because: "The gateway does not start, since it would begin without documents.",
                advice: problem.advice)
        }
        guard !directory.lock.isTaken else {
            return .ok("database", "the running gateway has it open; “pushgate backup” checks a copy of it")
        }
        // The check would open the log, and SQLite then removes the traces before the next start can report them.
        guard !SQLiteEngine.hasLostCommits(path: path) else {
            return .failed(
                "database", "the log of \(path) ends before its last commits",
                because: "They are lost: somebody has removed the log or cut it off.",
                advice: "Restore a backup to have them back. A start goes on with the commits that are left.")
        }
        do throws(StoreError) {
            try SQLiteEngine.check(path: path)
            return .ok("database", "\(path) is whole")
        } catch {
            return .failed(
                "database", "\(path): \(error.message)", because: "The gateway does not start, or loses documents.",
                advice: "Restore a backup to a new directory with “pushgate restore”.")
        }
    }
}
