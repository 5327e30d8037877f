import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("pushgate tokens and pushgate webhooks", .timeLimit(.minutes(10)))
struct TokensVerbTests {
    @Test("A token is made, publishes its topic with one line, is listed, and is revoked")
    func tokens() async throws {
        try await CommandLineStage.running(["functions.publishing.enabled": "true"]) { stage in
            #expect(try await stage.run("tokens", "list").output == "no tokens\n")
            let made = try await stage.run("tokens", "create", "--topic", "builds", "--name", "ci")
            #expect(made.exitCode == 0 && made.output.hasPrefix("push_"), "\(made.errors)")
            let token = String(made.output.dropLast())
            let bearer: HTTPFields = [.authorization: "Bearer \(token)"]
            let publish = {
                try await stage.gateway.caller.send(
                    .post, "/publish/builds", headerFields: bearer, body: Array("done".utf8)
                ).status
            }
            #expect(try await publish() == 200)
            let listed = try await stage.run("tokens", "list").output
            #expect(listed.contains("publish:builds  last used ") && listed.hasSuffix("“ci”\n"))
            #expect(!listed.contains(token))
            let id = String(listed.prefix { $0 != " " })
            #expect(try await stage.run("tokens", "revoke", id).output == "revoked\n")
            #expect(try await publish() == 401)
            let none = try await stage.run("tokens", "create")
            #expect(none.exitCode == 64 && none.errors.contains("--topic TOPIC"))
            let reader = try await stage.json("tokens", "create", "--read")
            #expect(reader["scopes"] == ["read"] && reader["name"] == "reader")
        }
    }

    @Test("Without the system, the verb names the setting that switches it on")
    func off() async throws {
        try await CommandLineStage.running { stage in
            let off = try await stage.run("tokens", "create", "--topic", "builds")
            #expect(off.exitCode == 1 && off.errors.contains("functions.publishing.enabled"), "\(off.errors)")
        }
    }

    @Test("A webhook is made, listed, tried and removed")
    func webhooks() async throws {
        try await CommandLineStage.running { stage in
            #expect(try await stage.run("webhooks", "list").output == "no webhooks\n")
            let refused = try await stage.run("webhooks", "add", "https://192.168.1.5/")
            #expect(refused.exitCode == 1 && refused.errors.contains("webhooks.urls"), "\(refused.errors)")
            let made = try await stage.run("webhooks", "add", "https://hooks.invalid/a", "--event", "app.held_up")
            #expect(made.exitCode == 0 && made.output.hasPrefix("whsec_"), "\(made.errors)")
            let webhook = try await stage.json("webhooks", "list")
            let id = try #require(webhook["id"]?.string)
            #expect(webhook["events"] == ["app.held_up"] && webhook["url"] == "https://hooks.invalid/a")
            #expect(try await stage.run("webhooks", "secret", id).output == made.output)
            #expect(try await stage.run("webhooks", "list").output.contains("whsec_") == false)
            #expect(try await stage.run("webhooks", "test", id).exitCode == 0)
            #expect(try await stage.run("webhooks", "remove", id).output == "removed\n")
            #expect(try await stage.run("webhooks", "remove", id).exitCode == 1)
        }
    }
}
