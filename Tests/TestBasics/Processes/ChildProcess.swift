import CSpawn
import Foundation
import Synchronization

/// The exit code and the output of a finished child process.
package struct FinishedProcess: Sendable {
    /// The exit code, or the number of the signal.
    package let exitCode: Int32
    /// `true` if a signal ended the process; ``exitCode`` is then the signal's number.
    package let isSignalled: Bool
    package let output: String
    package let errors: String
}

/// Another program, whose output goes to files. Its output never blocks and survives a kill.
///
/// The program starts with `posix_spawn`, because Foundation's `Process` crashes in a process with as many open
/// descriptors as a test run has.
package final class ChildProcess: Sendable {
    /// The status from `waitpid`; `nil` while the process runs.
    private let status = Mutex<Int32?>(nil)
    private let output: String
    private let errors: String
    /// The process id.
    package let id: Int32

    /// Starts a program for the body, without this process's settings for a gateway, and ends it even if the body
    /// throws.
    package static func running<Output>(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        _ body: (ChildProcess) async throws -> Output
    ) async throws -> Output {
        try await withTemporaryDirectory { directory in
            let child = try ChildProcess(executable, arguments, environment: environment, outputDirectory: directory)
            do {
                let output = try await body(child)
                await child.end()
                return output
            } catch {
                await child.end()
                throw error
            }
        }
    }

    private init(
        _ executable: String, _ arguments: [String], environment: [String: String], outputDirectory: String
    ) throws {
        output = outputDirectory + "/stdout"
        errors = outputDirectory + "/stderr"
        id = try Self.spawn(
            executable, arguments, environment: Self.environment(with: environment, records: outputDirectory),
            output: output, errors: errors)
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], environment: [String: String], output: String, errors: String
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // NIO's sockets have no FD_CLOEXEC. One that a process inherits does not close while the process lives.
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var argumentPointers = ([executable] + arguments).map { strdup($0) } + [nil]
        var environmentPointers = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, executable, &actions, nil, &argumentPointers, &environmentPointers)
        guard code == 0 else { throw NotAsExpected(output: "", errors: String(cString: strerror(code))) }
        return id
    }

    /// Returns this process's variables without those for a gateway, its clients or a proxy, because the tests talk
    /// only to this machine. A gateway records itself in a folder of its own, where no other program finds it.
    private static func environment(with more: [String: String], records: String) -> [String: String] {
        ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("PUSHGATE_") && !$0.key.hasPrefix("CODEAGENTS_") }
            .filter { !["https_proxy", "no_proxy"].contains($0.key.lowercased()) }
            .merging(["XDG_STATE_HOME": records]) { $1 }
            .merging(more) { $1 }
    }

    // MARK: Output

    /// The text on standard output so far.
    package var outputText: String { Self.text(of: output) }
    /// The text on standard error so far.
    package var errorText: String { Self.text(of: errors) }

    private static func text(of path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    // MARK: End

    /// `true` if the process has not ended.
    package var isRunning: Bool { status.withLock { isRunning(&$0) } }

    private func isRunning(_ status: inout Int32?) -> Bool {
        var found: Int32 = 0
        if status == nil, waitpid(id, &found, WNOHANG) == id { status = found }
        return status == nil
    }

    /// Sends a signal to the process if it still runs.
    package func send(signal: Int32) {
        status.withLock { if isRunning(&$0) { kill(id, signal) } }
    }

    /// Kills the process if it still runs, and waits until it is gone.
    package func end() async {
        send(signal: SIGKILL)
        _ = await eventually { !isRunning }
    }

    /// Waits for the process to end.
    package func finish(within bound: Duration = .patience) async throws -> FinishedProcess {
        guard await eventually(within: bound, { !isRunning }) else {
            throw NotAsExpected(output: outputText, errors: errorText)
        }
        let status = status.withLock { $0 ?? 0 }
        let signal = status & 0x7F
        return FinishedProcess(
            exitCode: signal == 0 ? status >> 8 & 0xFF : signal, isSignalled: signal != 0, output: outputText,
            errors: errorText)
    }
}

/// An error with the output of a child process that did not start or end in time.
package struct NotAsExpected: Error {
    package let output: String
    package let errors: String

    package init(output: String, errors: String) {
        self.output = output
        self.errors = errors
    }
}
