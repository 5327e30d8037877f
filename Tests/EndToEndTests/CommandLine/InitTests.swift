import Foundation
import JSON
import TestSupport
import Testing

@Suite("pushgate init", .timeLimit(.minutes(10)))
struct InitTests {
    private static let files = ["service-account.json", "firebase.env", "firebase-proxy.env", "firestore.env"]

    private func run(_ directory: String, _ arguments: String...) async throws -> FinishedProcess {
        try await PushgateProgram.run(["init", "--data-directory", directory] + arguments)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("init makes files for their owner only, except the certificate, which all users can read")
    func modes() async throws {
        try await withDataDirectory { directory in
            let finished = try await run(directory, "--set", "fcm.proxy.port=8444")
            #expect(finished.exitCode == 0 && finished.errors == "")
            #expect(try mode(directory) == 0o700 && mode(directory + "/service-accounts") == 0o700)
            let names = Set(try FileManager.default.contentsOfDirectory(atPath: directory))
            #expect(names == Set(Self.files + ["ca.pem", "ca.key", "service-accounts"]))
            for name in Self.files + ["ca.key"] { #expect(try mode(directory + "/" + name) == 0o600, "\(name)") }
            #expect(try mode(directory + "/ca.pem") == 0o644)
            for name in try FileManager.default.contentsOfDirectory(atPath: directory + "/service-accounts") {
                #expect(try mode("\(directory)/service-accounts/\(name)") == 0o600)
            }
            for name in Self.files.dropFirst() { #expect(finished.output.contains(". '\(directory)/\(name)'")) }
        }
    }

    @Test("--json prints the paths of the files")
    func json() async throws {
        try await withDataDirectory { directory in
            let finished = try await run(directory, "--json")
            #expect(finished.exitCode == 0 && finished.errors == "")
            let paths = try JSONValue(parsing: finished.output)
            #expect(paths["service_account"] == .string(directory + "/service-account.json"))
            for name in ["service_account", "certificate_authority", "variables"] {
                let path = try #require(paths[name]?.string)
                #expect(FileManager.default.fileExists(atPath: path), "\(path)")
            }
        }
    }

    @Test("A second init adds an account, and keeps the certificate authority and all other files")
    func again() async throws {
        try await withDataDirectory { directory in
            try await ServingProcess.running(in: directory) { _ in }
            let read = { (name: String) in FileManager.default.contents(atPath: directory + "/" + name) }
            #expect(try await run(directory).exitCode == 0)
            let first = try JSONValue(parsing: Array(try #require(read("service-account.json"))))
            let firstID = try #require(first["private_key_id"]?.string)
            let kept = [
                "ca.pem", "ca.key", "gateway-key", "admin-token", "service-account.json",
                "service-accounts/\(firstID).json",
            ]
            let before = kept.map(read)
            let again = try await run(directory)
            #expect(again.exitCode == 0 && again.output.contains(directory + "/service-account-2.json"))
            let second = try JSONValue(parsing: Array(try #require(read("service-account-2.json"))))
            #expect(!before.contains(nil) && kept.map(read) == before)
            #expect(second["private_key_id"] != first["private_key_id"])
            let variables = String(decoding: try #require(read("firebase.env")), as: UTF8.self)
            #expect(variables.contains("'\(directory)/service-account-2.json'"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory + "/service-accounts").count == 2)
            #expect(try await run(directory).exitCode == 0)
            #expect(read("service-account-3.json") != nil && kept.map(read) == before)
        }
    }

    @Test("init beside a starting gateway makes one certificate authority with it", arguments: 0..<3)
    func besideServe(_: Int) async throws {
        try await withDataDirectory { directory in
            async let banner = ServingProcess.running(in: directory, ["fcm.tls.port": "0"]) { $0.child.outputText }
            let initialised = try await run(directory, "--set", "fcm.tls.port=8443")
            #expect(initialised.exitCode == 0, "\(initialised.errors)")
            let text = try await banner
            #expect(text.contains("pushgate"))
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.filter { $0.hasPrefix("ca.") }.sorted() == ["ca.key", "ca.pem"])
        }
    }

    @Test("init reports that it assumes this machine if the gateway listens everywhere, unless --url is given")
    func guessed() async throws {
        try await withDataDirectory { directory in
            let guessed = try await run(directory, "--host", "::")
            #expect(guessed.exitCode == 0)
            #expect(guessed.output.contains("These lead to http://[::1]:8080, for clients on this machine."))
            let told = try await run(directory, "--host", "::", "--url", "https://push.example.com/")
            #expect(told.exitCode == 0 && !told.output.contains("These lead"))
            let account = try #require(FileManager.default.contents(atPath: directory + "/service-account-2.json"))
            #expect(try JSONValue(parsing: Array(account))["token_uri"] == "https://push.example.com/token")
        }
    }

    @Test("init makes nothing if an address is unknown, and names the setting to change")
    func refused() async throws {
        try await withDataDirectory { directory in
            for (arguments, key) in [
                (["--port", "0"], "http.port"), (["--url", "push.example.com"], "--url"),
                (["--url", "https://push.example.com", "--set", "fcm.proxy.port=0"], "fcm.proxy.port"),
            ] {
                let finished = try await PushgateProgram.run(["init", "--data-directory", directory] + arguments)
                #expect(finished.exitCode == 1 && finished.errors.contains("\(key): "), "\(finished.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: directory))
        }
    }
}
