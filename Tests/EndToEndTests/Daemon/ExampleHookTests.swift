import Foundation
import JSON
import TestSupport
import Testing

/// The programs of examples/hooks, which daemons start.
@Suite("Hooks of the examples", .timeLimit(.minutes(10)))
struct ExampleHookTests {
    /// A hook, by the ending of its file.
    enum Hook: String, CaseIterable, Sendable {
        case shell = "sh"
        case python = "py"
        case node = "mjs"

        /// The hooks whose language is here. `make test-packages` installs curl and Python.
        static let installed = allCases.filter { $0 != .node || isInstalled("node") }

        private static func isInstalled(_ program: String) -> Bool {
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
                .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }

        /// Runs the hook to its end, for a gateway and a secret.
        func run(_ arguments: String..., gateway: String, secret: String) async throws -> FinishedProcess {
            let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../examples")
            return try await ChildProcess.running(
                examples.appending(path: "hooks/reply_finished.\(rawValue)").standardized.path, arguments,
                environment: ["CODEAGENTS_PUSH_GATEWAY_BASE_URL": gateway, "CODEAGENTS_PUSH_SECRET": secret]
            ) { child in try await child.finish() }
        }
    }

    @Test("A hook reports any folder and any text, and prints the gateway's answer", arguments: Hook.installed)
    func reports(hook: Hook) async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            let folder = #"/srv/größe "\n" 👋🏽"#
            try await daemon.register("phone", token: "emulated:phone", cwd: folder)
            let finished = try await hook.run(
                folder, "Grüße \\ \"fin\":\n\t完了 ✓", gateway: gateway.url + "/", secret: daemon.secret)
            #expect(finished.exitCode == 0, "\(finished.errors)")
            let answer = try JSONValue(parsing: finished.output)
            #expect(answer["attempted"] == 1 && answer["sent"] == 1, "\(finished.output)")
            let inbox = try await gateway.ask("/emulator/v1/inbox").body["notifications"]
            #expect(inbox?.array?.count == 1)
            #expect(inbox?[0]?["message"]?["notification"]?["body"] == #"Grüße \ "fin": 完了 ✓"#)
        }
    }

    @Test("A hook needs no text", arguments: Hook.installed)
    func withoutText(hook: Hook) async throws {
        try await withGateway { gateway in
            let daemon = Daemon(gateway.caller)
            try await daemon.register("phone", token: "emulated:phone")
            let finished = try await hook.run("/srv/app", gateway: gateway.url, secret: daemon.secret)
            #expect(finished.exitCode == 0, "\(finished.errors)")
            let answer = try JSONValue(parsing: finished.output)
            #expect(answer["sent"] == 1 && answer["preview_included"] == false, "\(finished.output)")
        }
    }

    @Test("A hook fails, with the reason, if the gateway refuses the report or is not there", arguments: Hook.installed)
    func fails(hook: Hook) async throws {
        try await withGateway { gateway in
            let refused = try await hook.run("/srv/app", gateway: gateway.url, secret: "wrong-secret")
            #expect(refused.exitCode != 0)
            #expect((refused.output + refused.errors).contains("unauthorized"), "\(refused.errors)")
            #expect(!(refused.output + refused.errors).contains("wrong-secret"))
        }
        // Nothing listens on this port.
        let unreachable = try await hook.run("/srv/app", gateway: "http://127.0.0.1:9", secret: .randomSecret())
        #expect(unreachable.exitCode != 0 && !unreachable.errors.isEmpty)
        let used = try await hook.run(gateway: "http://127.0.0.1:9", secret: .randomSecret())
        #expect(used.exitCode != 0 && used.errors.contains("usage: reply_finished"))
    }
}
