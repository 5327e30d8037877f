import JSON
import TestSupport
import Testing

/// A gateway, and the command-line program that sends it requests.
struct CommandLineStage {
    let gateway: RunningGateway
    let secret = String.randomSecret()

    /// Runs a verb against the gateway.
    func run(_ arguments: String...) async throws -> FinishedProcess {
        try await PushgateProgram.run(
            arguments + ["--data-directory", gateway.directory], environment: ["CODEAGENTS_PUSH_SECRET": secret])
    }

    /// Runs a verb with `--json`, and requires that it succeeds and prints one JSON text.
    func json(_ arguments: String...) async throws -> JSONValue {
        let finished = try await PushgateProgram.run(
            arguments + ["--json", "--data-directory", gateway.directory],
            environment: ["CODEAGENTS_PUSH_SECRET": secret])
        #expect(finished.exitCode == 0, "\(finished.errors)")
        return try JSONValue(parsing: finished.output)
    }

    static func running(
        _ settings: [String: String] = [:], simulator: RunningSimulator? = nil,
        _ body: (CommandLineStage) async throws -> Void
    ) async throws {
        try await withGateway(settings, simulator: simulator) { try await body(CommandLineStage(gateway: $0)) }
    }
}
