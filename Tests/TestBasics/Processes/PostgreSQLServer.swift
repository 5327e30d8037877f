import Foundation
import Synchronization

/// A PostgreSQL server of this test run, on a socket in a temporary folder. It begins with the first test that needs
/// it, and ends with the test run, even if that is killed.
package enum PostgreSQLServer {
    /// The folder of the newest version that is installed; `nil` without one.
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let newest = versions.compactMap { Int($0) }.max().map { "\(root)/\($0)/bin" }
        return newest.flatMap { FileManager.default.isExecutableFile(atPath: "\($0)/postgres") ? $0 : nil }
    }()

    /// `true` if the server can be run.
    package static var isInstalled: Bool { programs != nil }

    /// Makes the cluster, runs the server, and removes everything when the test run has ended.
    private static let script = """
        programs=$1 folder=$2 run=$3
        trap 'rm -rf "$folder"' EXIT
        "$programs/initdb" --pgdata "$folder/data" --username postgres --auth trust --no-sync --encoding UTF8 --locale C || exit
        "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c max_connections=1000 -c fsync=off &
        while [ -d "/proc/$run" ]; do sleep 0.2; done
        kill -QUIT $!
        wait
        """

    private static let start = Task<String, any Error> {
        guard let programs else { throw NotInstalled() }
        let folder = try Self.makeFolder()
        let command = ["/bin/sh", "-c", script, "postgresql", programs, folder, "\(getpid())"]
        // The server refuses to run as root.
        let ordinary = ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        let all = geteuid() == 0 ? ordinary + command : command
        Task.detached {
            try await ChildProcess.running(all[0], Array(all.dropFirst()), environment: ["TMPDIR": folder]) { child in
                while child.isRunning { try await Task.sleep(for: .seconds(3_600)) }
            }
        }
        let ready = await eventually {
            FileManager.default.fileExists(atPath: folder + "/.s.PGSQL.5432")
        }
        guard ready else { throw NotInstalled() }
        return folder
    }

    private struct NotInstalled: Error, CustomStringConvertible {
        let description = "PostgreSQL does not start; apt-get install postgresql"
    }

    private static func makeFolder() throws -> String {
        let folder = "/tmp/pushgate-postgresql-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if geteuid() == 0 { lchown(folder, 65_534, 65_534) }
        return folder
    }

    private static let schemas = Atomic(0)

    /// Returns a connection string for an empty schema of its own.
    ///
    /// - Parameter run: runs statements on the server at a connection string.
    package static func emptySchema(_ run: (_ url: String, _ sql: String) throws -> Void) async throws -> String {
        let folder = try await start.value
        let number = schemas.wrappingAdd(1, ordering: .relaxed).newValue
        let base = "host=\(folder) user=postgres dbname=postgres"
        try await retrying { try run(base, "CREATE SCHEMA test\(number)") }
        return base + " application_name=test\(number) options='-c search_path=test\(number)'"
    }

    /// The socket is there a moment before the server answers.
    private static func retrying(_ body: () throws -> Void) async throws {
        for _ in 0..<100 {
            if (try? body()) != nil { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        try body()
    }
}
