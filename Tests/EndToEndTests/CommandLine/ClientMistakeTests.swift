import Foundation
import Gateway
import JSON
import Secrets
import TestDoubles
import TestSupport
import Testing

@Suite("Mistakes on the command line", .timeLimit(.minutes(10)))
struct ClientMistakeTests {
    private let secret = ["CODEAGENTS_PUSH_SECRET": String.randomSecret()]

    @Test("An https URL of the plain port is refused with the http URL to use")
    func tls() async throws {
        try await withGateway { gateway in
            let url = "https://127.0.0.1:\(gateway.port)"
            let finished = try await PushgateProgram.run(["health", "--server", url])
            #expect(finished.exitCode == 1 && finished.output == "")
            #expect(finished.errors.contains("\(url) does not speak TLS"), "\(finished.errors)")
            #expect(finished.errors.contains("http://127.0.0.1:\(gateway.port)"))
        }
    }

    @Test("An untrusted certificate is reported as such")
    func certificate() async throws {
        try await withGateway(["fcm.tls.port": "0"]) { gateway in
            let url = try #require(await gateway.gateway.listening()?.tls)
            let finished = try await PushgateProgram.run(["health", "--server", url])
            #expect(finished.exitCode == 1)
            #expect(finished.errors.contains("certificate at \(url) is not trusted"), "\(finished.errors)")
        }
    }

    @Test(
        "A server without a scheme is refused with the URL that is probably meant",
        arguments: [
            ("localhost:8080", "http://localhost:8080"), ("127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("[::1]:8080", "http://[::1]:8080"), ("[2001:db8::1]:8080", "https://[2001:db8::1]:8080"),
            ("push.example.com", "https://push.example.com"),
            ("push.example.com/prefix", "https://push.example.com/prefix"),
        ])
    func scheme(server: String, meant: String) async throws {
        let finished = try await PushgateProgram.run(["health", "--server", server])
        #expect(finished.exitCode == 1)
        #expect(finished.errors.contains("--server has no http:// or https://"), "\(finished.errors)")
        #expect(finished.errors.contains("Did you mean \(meant)?"))
    }

    @Test("An admin token of another gateway is refused with its source, and is not shown")
    func adminToken() async throws {
        try await withGateway { gateway in
            let token = "another-gateways-token"
            let fromEnvironment = try await PushgateProgram.run(
                ["inbox", "--server", gateway.url], environment: ["PUSHGATE_ADMIN_TOKEN": token])
            try await withGateway { other in
                let fromDirectory = try await PushgateProgram.run(
                    ["inbox", "--server", gateway.url, "--data-directory", other.directory])
                for (finished, source) in [
                    (fromEnvironment, "PUSHGATE_ADMIN_TOKEN,"), (fromDirectory, "\(other.directory)/admin-token,"),
                ] {
                    #expect(finished.exitCode == 1)
                    let words = "the gateway at \(gateway.url) does not take the admin token of \(source)"
                    #expect(finished.errors.contains(words), "\(finished.errors)")
                    #expect(!finished.errors.contains(token))
                    #expect(!finished.errors.contains(other.gateway.adminToken.value))
                }
            }
        }
    }

    @Test("The admin token comes from the file of its variable, and an unreadable file is an error that names it")
    func adminTokenFile() async throws {
        try await withGateway { gateway in
            let variable = "PUSHGATE_ADMIN_TOKEN_FILE"
            let path = gateway.directory + "/token-for-clients"
            let arguments = ["inbox", "--server", gateway.url]
            let missing = try await PushgateProgram.run(arguments, environment: [variable: path])
            #expect(missing.exitCode == 1)
            #expect(missing.errors.contains("\(variable): cannot read the file that it names"), "\(missing.errors)")
            #expect(!missing.errors.contains(path))
            try "\(gateway.gateway.adminToken.value)\n".write(toFile: path, atomically: true, encoding: .utf8)
            let finished = try await PushgateProgram.run(arguments, environment: [variable: path])
            #expect(finished.exitCode == 0, "\(finished.errors)")
        }
    }

    @Test("The daemon's file names the gateway, unless --server or --data-directory names one")
    func environmentFile() async throws {
        try await withGateway { gateway in
            try await withGateway { other in
                let file = gateway.directory + "/daemon.env"
                let enabled = try await PushgateProgram.run(["enable", "--env-file", file, "--server", gateway.url])
                #expect(enabled.exitCode == 0)
                let environment = [
                    "PUSHGATE_DATA_DIRECTORY": other.directory, "CODEAGENTS_PUSH_GATEWAY_BASE_URL": other.url,
                ]
                let register = ["register", "--env-file", file, "--cwd", "/srv", "--token", "emulated:1"]
                #expect(try await PushgateProgram.run(register, environment: environment).exitCode == 0)
                let trigger = ["trigger", "--env-file", file, "--cwd", "/srv"]
                let triggered = try await PushgateProgram.run(trigger, environment: environment)
                #expect(triggered.output == "attempted 1, sent 1\n", "\(triggered.errors)")
                for option in [["--server", other.url], ["--data-directory", other.directory]] {
                    let elsewhere = try await PushgateProgram.run(trigger + option, environment: environment)
                    #expect(elsewhere.output.hasPrefix("no device to notify"), "\(elsewhere.errors)")
                }
                let left = try await PushgateProgram.run(["unregister", "--env-file", file], environment: environment)
                #expect(left.output == "subscriptions removed: 1\n")
            }
        }
    }

    @Test("An invalid URL in the daemon's file is reported with the file, and the secret is not sent")
    func badEnvironmentFile() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder + "/daemon.env"
            let text = "CODEAGENTS_PUSH_SECRET=\(String.randomSecret())\nCODEAGENTS_PUSH_GATEWAY_BASE_URL=localhost:1\n"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let finished = try await PushgateProgram.run(["trigger", "--env-file", file, "--cwd", "/srv"])
            #expect(finished.exitCode == 1)
            #expect(finished.errors.contains("CODEAGENTS_PUSH_GATEWAY_BASE_URL in \(file)"), "\(finished.errors)")
        }
    }

    @Test(
        "A relative --cwd is refused with the absolute path, before a request is sent",
        arguments: [
            ["trigger"], ["register", "--token", "emulated:1"], ["unregister"],
        ])
    func relativeDirectory(verb: [String]) async throws {
        for (cwd, meant) in [("app", "/app?"), (".", "?"), ("./app/../web", "/web?"), ("~/app", "/app?")] {
            let finished = try await PushgateProgram.run(
                verb + ["--cwd", cwd, "--server", "http://127.0.0.1:1"], environment: secret)
            #expect(finished.exitCode == 64 && finished.output == "")
            #expect(finished.errors.contains("Did you mean /") && finished.errors.contains(meant), "\(finished.errors)")
        }
        let empty = try await PushgateProgram.run(verb + ["--cwd", ""], environment: secret)
        #expect(empty.exitCode == 64 && empty.errors.contains("--cwd must not be empty"))
    }

    @Test("A configuration file that starts with a list is refused as such")
    func list() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder + "/pushgate.yaml"
            try "- http:\n    port: 0\n".write(toFile: file, atomically: true, encoding: .utf8)
            let finished = try await PushgateProgram.run([
                "serve", "--config", file, "--data-directory", folder + "/data",
            ])
            #expect(finished.exitCode == 1)
            #expect(finished.errors.contains("--config: begins with a list"), "\(finished.errors)")
            #expect(finished.errors.contains(file))
        }
    }
}
