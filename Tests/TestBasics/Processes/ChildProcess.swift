import Foundation
import Synchronization

/// How a child process ended, and what it said.
public struct FinishedProcess: Sendable {
    public let exitCode: Int32
    /// Whether a signal ended it; ``exitCode`` is then the signal's number.
    public let isSignalled: Bool
    public let output: String
    public let errors: String
}

/// Another program, whose output goes to files; none of it can block, and none of it is lost when it is killed.
///
/// Started with `posix_spawn`: Foundation's `Process` crashes in a process with as many open descriptors as a test run has.
public final class ChildProcess: Sendable {
    /// As `waitpid` tells it; nil while it runs.
    private let status = Mutex<Int32?>(nil)
    private let output: String
    private let errors: String
    public let id: Int32

    /// Starts a program for the body, with none of this process's settings for a gateway, and ends it whatever becomes of
    /// the body.
    public static func running<Output>(
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
            executable, arguments, environment: Self.environment(with: environment), output: output, errors: errors)
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
        var argumentPointers = ([executable] + arguments).map { strdup($0) } + [nil]
        var environmentPointers = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, executable, &actions, nil, &argumentPointers, &environmentPointers)
        guard code == 0 else { throw NotAsExpected(output: "", errors: String(cString: strerror(code))) }
        return id
    }

    /// This process's variables but those that configure a gateway or its clients, and the proxy: what tests talk to is on
    /// this machine.
    private static func environment(with more: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("PUSHGATE_") && !$0.key.hasPrefix("CODEAGENTS_") }
            .filter { !["https_proxy", "no_proxy"].contains($0.key.lowercased()) }
            .merging(more) { $1 }
    }

    // MARK: What it says

    public var outputText: String { Self.text(of: output) }
    public var errorText: String { Self.text(of: errors) }

    private static func text(of path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    // MARK: How it ends

    public var isRunning: Bool { status.withLock { isRunning(&$0) } }

    private func isRunning(_ status: inout Int32?) -> Bool {
        var found: Int32 = 0
        if status == nil, waitpid(id, &found, WNOHANG) == id { status = found }
        return status == nil
    }

    public func send(signal: Int32) {
        status.withLock { if isRunning(&$0) { kill(id, signal) } }
    }

    /// Kills it when it still runs, and waits until it is gone.
    public func end() async {
        send(signal: SIGKILL)
        _ = await eventually { !isRunning }
    }

    /// Waits for its end.
    public func finish(within bound: Duration = .seconds(30)) async throws -> FinishedProcess {
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

/// A child process did not start, or did not end, in time: what it said.
public struct NotAsExpected: Error {
    public let output: String
    public let errors: String

    public init(output: String, errors: String) {
        self.output = output
        self.errors = errors
    }
}
