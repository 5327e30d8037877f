import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("pushgate accounts and pushgate access-token", .timeLimit(.minutes(10)))
struct AccountsTests {
    private func run(_ verb: [String], in directory: String) async throws -> FinishedProcess {
        try await PushgateProgram.run(verb + ["--data-directory", directory])
    }

    private func keyIDs(_ directory: String) async throws -> [String] {
        let listed = try await run(["accounts", "list", "--json"], in: directory)
        #expect(listed.exitCode == 0, "\(listed.errors)")
        return try JSONValue(parsing: listed.output).array?.compactMap { $0["key_id"]?.string } ?? []
    }

    @Test("accounts list shows no secrets, and a revoked account gets no more access tokens")
    func accounts() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                try await withGateway(simulator: apns, in: directory) { gateway in
                    let accounts = [
                        try await ServiceAccount(in: directory, url: gateway.url),
                        try await ServiceAccount(in: directory, url: gateway.url),
                    ]
                    let ids = try await keyIDs(directory)
                    #expect(ids.count == 2 && ids.contains(accounts[0].keyID))
                    let text = try await run(["accounts", "list"], in: directory)
                    #expect(text.output.split(separator: "\n").count == 2 && !text.output.contains("KEY"))
                    #expect(text.output.contains("pushgate@pushgate.iam.gserviceaccount.com  pushgate  20"))
                    for namesKey in [true, false] {
                        let assertion = try accounts[0].assertion(namesKey: namesKey)
                        #expect(try await gateway.caller.askForAccessToken(with: assertion).status == 200)
                    }
                    let revoked = try await run(["accounts", "revoke", accounts[0].keyID], in: directory)
                    #expect(revoked.exitCode == 0 && revoked.output.hasPrefix("revoked \(accounts[0].keyID)"))
                    #expect(try await keyIDs(directory) == [accounts[1].keyID])
                    for (account, status) in [(accounts[0], 400), (accounts[1], 200)] {
                        for namesKey in [true, false] {
                            let assertion = try account.assertion(namesKey: namesKey)
                            let answer = try await gateway.caller.askForAccessToken(with: assertion)
                            #expect(answer.status == status)
                        }
                    }
                }
            }
        }
    }

    @Test("accounts revoke accepts a prefix of a key id, and refuses one that is unknown or too short")
    func prefixes() async throws {
        try await withDataDirectory { directory in
            #expect(try await run(["init"], in: directory).exitCode == 0)
            let id = try #require(try await keyIDs(directory).first)
            for (text, words) in [
                ("", "is too short"), (String(id.prefix(7)), "is too short"), ("0123456789", "pushgate accounts list"),
                ("../service-account", "pushgate accounts list"), ("\(id)0", "pushgate accounts list"),
            ] {
                let refused = try await run(["accounts", "revoke", text], in: directory)
                #expect(refused.exitCode == 1 && refused.errors.contains(words), "\(text)")
            }
            #expect(try await run(["accounts", "revoke", String(id.prefix(8))], in: directory).exitCode == 0)
            #expect(try await run(["accounts", "list"], in: directory).output.contains("pushgate init"))
        }
    }

    @Test("access-token prints only a token, which a gateway with credentials accepts")
    func accessToken() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                try await withGateway(simulator: apns, in: directory) { gateway in
                    let printed = try await run(["access-token"], in: directory)
                    let token = printed.output.trimmingCharacters(in: .newlines)
                    #expect(printed.exitCode == 0 && printed.errors == "" && !token.contains(where: \.isWhitespace))
                    let answer = try await gateway.caller.send(
                        .post, "/v1/projects/pushgate/messages:send",
                        headerFields: [.authorization: "Bearer \(token)"],
                        body: Array(#"{"message":{"token":"emulated:a"}}"#.utf8))
                    #expect(answer.status == 200, "\(answer.text)")
                }
            }
        }
    }

    @Test(
        "accounts and access-token create no data directory, and name the option for it",
        arguments: [["accounts", "list"], ["access-token"]])
    func nothingThere(verb: [String]) async throws {
        try await withDataDirectory { directory in
            let refused = try await run(verb, in: directory)
            #expect(refused.exitCode == 1 && refused.errors.contains("--data-directory"))
            #expect(!FileManager.default.fileExists(atPath: directory))
        }
    }
}
