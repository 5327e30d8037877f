import TestSupport

extension CommandLineStage {
    /// A program of Debian's essential package bsdutils, which runs a command on a terminal of its own.
    static let terminal = "/usr/bin/script"

    /// Runs a verb on a terminal, whose output has both streams of the verb.
    func runOnTerminal(_ arguments: String...) async throws -> FinishedProcess {
        let words = [PushgateProgram.path] + arguments + ["--data-directory", gateway.directory]
        let command = words.map { "'" + $0.replacing("'", with: #"'\''"#) + "'" }.joined(separator: " ")
        return try await ChildProcess.running(
            Self.terminal, ["-qec", command, "/dev/null"],
            environment: ["SHELL": "/bin/sh", "CODEAGENTS_PUSH_SECRET": secret]
        ) { terminal in try await terminal.finish() }
    }
}
