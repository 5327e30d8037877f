import DocumentStore
import Foundation
import Instance
import Messaging
import PostgreSQLStore

/// The database, in the data directory or on a server.
struct DatabaseCheck: DoctorCheck {
    let part = "database"

    func findings(in context: DoctorContext) -> [Finding] {
        switch context.directoryState {
        case .absent: context.configuration.store.url == nil ? [] : [server(context)]
        case .closed: []
        case .open: [unfinished(context.directory) ?? database(context)]
        }
    }

    private func database(_ context: DoctorContext) -> Finding {
        context.configuration.store.url == nil ? file(context.directory) : server(context)
    }

    /// Returns the finding of a restore or an import that has not ended; `nil` if there is none.
    private func unfinished(_ directory: DataDirectory) -> Finding? {
        (directory.restoreMark.unfinished ?? directory.importProgress.unfinished).map(incomplete)
    }

    private func incomplete(_ problem: DirectoryProblem) -> Finding {
        failed(
            problem.fact, because: "The gateway does not start, since its data would be incomplete.",
            advice: problem.advice)
    }

    private func server(_ context: DoctorContext) -> Finding {
        let reason: String
        do {
            guard let settings = try context.configuration.store.postgreSQL() else { return file(context.directory) }
            return ok("PostgreSQL \(try PostgreSQLEngine.serverVersion(settings)) answers and accepts changes")
        } catch let error as StoreError {
            reason = error.explanation
        } catch {
            reason = "\(error)"
        }
        return failed(
            "store.url: \(reason)", because: "The gateway does not start.",
            advice: "Correct store.url or the password, or start the database.")
    }

    private func file(_ directory: DataDirectory) -> Finding {
        let path = directory.database.path
        guard FileManager.default.fileExists(atPath: path) else { return missingFile(directory) }
        guard !directory.lock.isTaken else {
            return ok("the running gateway has it open; “pushgate backup” checks a copy of it")
        }
        // The check would open the log, and SQLite then removes the traces before the next start can report them.
        guard !SQLiteEngine.hasLostCommits(path: path) else {
            return failed(
                "the log of \(path) ends before its last commits",
                because: "They are lost: somebody has removed the log or cut it off.",
                advice: "Restore a backup to have them back. A start goes on with the commits that are left.")
        }
        do throws(StoreError) {
            try SQLiteEngine.check(path: path)
            if let copy = try CopyProgress.unfinished(inFile: path) { return incomplete(copy) }
            return ok("\(path) is whole")
        } catch {
            return failed(
                "\(path): \(error.message)", because: "The gateway does not start, or loses documents.",
                advice: "Restore a backup to a new directory with “pushgate restore”.")
        }
    }

    private func missingFile(_ directory: DataDirectory) -> Finding {
        // If it was removed just now, the gateway ends as soon as it finds the loss.
        guard !directory.lock.isTaken else {
            return ok("the running gateway has none in its directory: its documents are in PostgreSQL")
        }
        guard let problem = directory.database.loss else {
            return ok("there is no database yet; the first start creates it")
        }
        return failed(
            problem.fact, because: "The gateway does not start, since it would begin without documents.",
            advice: problem.advice)
    }
}
