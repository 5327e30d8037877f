import Cryptography
import JSON
import TestSupport
import Testing

@Suite("pushgate servers", .timeLimit(.minutes(10)))
struct ServersVerbTests {
    @Test("A server is allowed by its key or by its secret, listed, and denied")
    func decisions() async throws {
        try await CommandLineStage.running { stage in
            let key = SHA256.hexadecimal(of: stage.secret)
            let empty = try await stage.run("servers", "list")
            #expect(empty.output == "all servers but denied ones may use the gateway; there are none yet\n")
            #expect(try await stage.run("register", "--cwd", "/srv", "--token", "emulated:1").exitCode == 0)
            let allowed = try await stage.run("servers", "allow", "--name", "build")
            #expect(allowed.output == "allowed \(key)\n", "\(allowed.errors)")
            let listed = try await stage.run("servers", "list").output.split(separator: "\n")
            #expect(listed.count == 2 && listed[1].hasPrefix("\(key)  allowed  ") && listed[1].hasSuffix("“build”"))
            let denied = try await stage.run("servers", "deny", key)
            #expect(denied.output == "denied \(key); subscriptions removed: 1\n")
            let refused = try await stage.run("trigger", "--cwd", "/srv")
            #expect(refused.exitCode == 1 && refused.errors.contains("pushgate servers allow"), "\(refused.errors)")
            #expect(try await stage.json("servers", "list")["access"] == "denied")
            let wrong = try await stage.run("servers", "deny", "abc")
            #expect(wrong.exitCode == 64 && wrong.errors.contains("64 hexadecimal digits"))
        }
    }
}
