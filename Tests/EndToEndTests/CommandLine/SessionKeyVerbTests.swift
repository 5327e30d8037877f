import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("pushgate sessions keys", .timeLimit(.minutes(10)))
struct SessionKeyVerbTests {
    private static let masterKey = "a-master-key-of-this-test"
    private static let settings = [
        "functions.sessions.enabled": "true", "functions.sessions.masterKey": masterKey,
    ]
    private static let environment = ["PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY": masterKey]

    private func run(
        _ gateway: RunningGateway, _ arguments: String..., environment: [String: String] = Self.environment
    ) async throws -> FinishedProcess {
        try await PushgateProgram.run(
            ["sessions", "keys"] + arguments + ["--data-directory", gateway.directory], environment: environment)
    }

    private func status(_ gateway: RunningGateway, _ key: String) async throws -> Int {
        try await gateway.caller.send(
            .get, "/api/v1/sessions", headerFields: [.authorization: "Bearer \(key)"]
        ).status
    }

    @Test("A session key opens its scopes, is listed without its secret, and can be revoked")
    func life() async throws {
        try await withGateway(Self.settings) { gateway in
            #expect(try await run(gateway, "list").output == "no keys\n")
            let made = try await run(
                gateway, "create", "--name", "a laptop", "--scope", "read", "--scope", "write", "--rate-limit", "60")
            #expect(made.exitCode == 0, "\(made.errors)")
            let key = made.output.trimmingCharacters(in: .newlines)
            #expect(key.wholeMatch(of: /claud_[0-9a-f]{32}/) != nil && !made.errors.contains(key))
            #expect(try await status(gateway, key) == 200)
            let list = try await run(gateway, "list").output
            let id = try #require(list.split(separator: " ").first.map(String.init))
            #expect(list.hasPrefix("\(id)  \(key.prefix(12))…  read, write  60 a minute  last used "))
            #expect(list.hasSuffix("  “a laptop”\n") && !list.contains(key) && made.errors.hasPrefix(id))
            #expect(try await run(gateway, "revoke", id).output == "revoked\n")
            #expect(try await status(gateway, key) == 401)
            let again = try await run(gateway, "revoke", id)
            #expect(again.exitCode == 1 && again.errors.contains("API key not found"), "\(again.errors)")
        }
    }

    @Test("sessions keys --json prints the gateway's JSON, and reads the master key from the configuration file")
    func json() async throws {
        try await withGateway(Self.settings) { gateway in
            let file = gateway.directory + "/../pushgate.yaml"
            try "functions:\n  sessions:\n    enabled: true\n    masterKey: \(Self.masterKey)\n".write(
                toFile: file, atomically: true, encoding: .utf8)
            let made = try await run(
                gateway, "create", "--name", "a", "--scope", "read", "--json", "--config", file, environment: [:])
            let key = try JSONValue(parsing: made.output)
            #expect(key["scopes"] == ["read"] && key["rate_limit"] == .null && made.errors.isEmpty)
            let list = try JSONValue(parsing: try await run(gateway, "list", "--json").output)
            #expect(list["keys"]?[0]?["id"] == key["id"])
        }
    }

    @Test("sessions keys reports a missing or wrong argument, and a wrong master key")
    func mistakes() async throws {
        try await withGateway(Self.settings) { gateway in
            for (arguments, environment, exitCode, text) in [
                (["list"], [:], 1, "PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY"),
                (
                    ["list"], ["PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY": "another-master-key"], 1,
                    "another master key"
                ),
                (["create", "--name", "a"], Self.environment, 64, "--scope"),
                (["create", "--name", "a", "--scope", "all"], Self.environment, 64, "--scope"),
                (["create", "--name", " ", "--scope", "read"], Self.environment, 1, "name is required"),
                (
                    ["create", "--name", "a", "--scope", "read", "--rate-limit", "0"], Self.environment, 64,
                    "--rate-limit"
                ),
                (["revoke", "a/b"], Self.environment, 64, "a/b"),
            ] as [([String], [String: String], Int32, String)] {
                let finished = try await PushgateProgram.run(
                    ["sessions", "keys"] + arguments + ["--data-directory", gateway.directory],
                    environment: environment)
                #expect(
                    finished.exitCode == exitCode && finished.errors.contains(text),
                    "\(arguments): \(finished.exitCode) \(finished.errors)")
            }
        }
        try await withGateway { gateway in
            let off = try await run(gateway, "list")
            #expect(off.exitCode == 1 && off.errors.contains("functions.sessions.enabled"), "\(off.errors)")
        }
    }
}
