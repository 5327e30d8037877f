import FCMInterface
import Foundation
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("Environment files for Firebase clients", .timeLimit(.minutes(10)))
struct FirebaseFilesTests {
    /// Writes the files and passes the variables of both to the body; `nil` if a file does not exist.
    private func withFiles(
        tls: Int? = nil, proxy: Int? = nil, in name: String = "data", url: String = "http://127.0.0.1:8080",
        _ body: (String, _ emulator: [String: String]?, _ proxy: [String: String]?) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { parent in
            var configuration = GatewayConfiguration()
            configuration.data.directory = parent + "/" + name
            configuration.fcm.proxyPort = 1
            let addresses = try ClientAddresses(configuration, url: nil)
            // Files of an earlier run with a proxy.
            try FirebaseFiles(configuration: configuration, addresses: addresses).write()
            (configuration.fcm.tlsPort, configuration.fcm.proxyPort) = (tls, proxy)
            let files = try FirebaseFiles(
                configuration: configuration, addresses: try ClientAddresses(configuration, url: url))
            try files.write()
            #expect((files.proxyVariablesPath == nil) == (tls == nil && proxy == nil))
            try body(
                configuration.data.directory, variables(in: configuration.data.directory + "/firebase.env"),
                variables(in: configuration.data.directory + "/firebase-proxy.env"))
        }
    }

    private func variables(in path: String) -> [String: String]? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let pairs = String(decoding: data, as: UTF8.self).matches(of: /export (\w+)='(.*)'\n/)
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0.1), String($0.2)) })
    }

    @Test("Only the emulator's environment file is rewritten without TLS and proxy, and the other stays as it was")
    func emulatorOnly() async throws {
        try await withFiles { directory, emulator, proxy in
            #expect(
                emulator == [
                    "GOOGLE_APPLICATION_CREDENTIALS": directory + "/service-account-2.json",
                    "GOOGLE_CLOUD_PROJECT": "pushgate", "FIREBASE_MESSAGING_EMULATOR_HOST": "127.0.0.1:8080",
                ])
            #expect(proxy?["GOOGLE_APPLICATION_CREDENTIALS"] == directory + "/service-account.json")
        }
    }

    @Test("The emulator's environment file has no proxy, and the proxy's has no emulator address")
    func proxy() async throws {
        try await withFiles(proxy: 8_444, url: "https://push.example.com/fcm") { directory, emulator, proxy in
            #expect(emulator?["FIREBASE_MESSAGING_EMULATOR_HOST"] == "https://push.example.com/fcm")
            #expect(emulator?.count == 3)
            let ca = directory + "/ca.pem"
            #expect(
                proxy == [
                    "GOOGLE_APPLICATION_CREDENTIALS": directory + "/service-account-2.json",
                    "GOOGLE_CLOUD_PROJECT": "pushgate",
                    "HTTPS_PROXY": "http://127.0.0.1:8444", "https_proxy": "http://127.0.0.1:8444",
                    "NO_PROXY": "push.example.com", "no_proxy": "push.example.com",
                    "REQUESTS_CA_BUNDLE": ca, "SSL_CERT_FILE": ca, "NODE_EXTRA_CA_CERTS": ca,
                    "HTTPLIB2_CA_CERTS": ca,
                ])
        }
    }

    @Test("Firestore has an environment file of its own, with a project that is not the gateway's")
    func firestore() async throws {
        try await withFiles(url: "http://push.example.com") { directory, emulator, _ in
            #expect(
                variables(in: directory + "/firestore.env") == [
                    "GOOGLE_APPLICATION_CREDENTIALS": directory + "/service-account-2.json",
                    "GOOGLE_CLOUD_PROJECT": "demo-pushgate", "FIRESTORE_EMULATOR_HOST": "push.example.com:80",
                ])
            #expect(emulator?["FIRESTORE_EMULATOR_HOST"] == nil)
        }
    }

    @Test("An account for Firestore only leaves the environment files for messages as they were")
    func firestoreOnly() async throws {
        try await withFiles(proxy: 8_444) { directory, emulator, proxy in
            var configuration = GatewayConfiguration()
            configuration.data.directory = directory
            configuration.fcm.proxyPort = 8_444
            let files = try FirebaseFiles(
                configuration: configuration, addresses: ClientAddresses(configuration, url: nil), scopes: [.firestore])
            try files.write()
            #expect(files.variablesPath == nil && files.proxyVariablesPath == nil)
            #expect(emulator != nil && variables(in: directory + "/firebase.env") == emulator)
            #expect(proxy != nil && variables(in: directory + "/firebase-proxy.env") == proxy)
            let account = variables(in: directory + "/firestore.env")?["GOOGLE_APPLICATION_CREDENTIALS"]
            #expect(account == directory + "/service-account-3.json")
        }
    }

    @Test("No file of variables for Firestore is named if its interface is off or clients would need TLS")
    func noFirestore() async throws {
        try await withTemporaryDirectory { parent async throws in
            var configuration = GatewayConfiguration()
            configuration.data.directory = parent + "/data"
            #expect(try firestoreVariables("http://127.0.0.1:8080", configuration) != nil)
            #expect(try firestoreVariables("https://push.example.com", configuration) == nil)
            configuration.firestore.isEnabled = false
            #expect(try firestoreVariables("http://127.0.0.1:8080", configuration) == nil)
        }
    }

    private func firestoreVariables(_ url: String, _ configuration: GatewayConfiguration) throws -> String? {
        try FirebaseFiles(configuration: configuration, addresses: ClientAddresses(configuration, url: url))
            .firestoreVariablesPath
    }

    @Test("The environment file for TLS without a proxy names the certificate authority only")
    func tlsOnly() async throws {
        try await withFiles(tls: 0) { directory, emulator, proxy in
            #expect(proxy?["SSL_CERT_FILE"] == directory + "/ca.pem" && proxy?["HTTPS_PROXY"] == nil)
            #expect(proxy?["GOOGLE_CLOUD_PROJECT"] == "pushgate" && proxy?["NO_PROXY"] == nil)
            #expect(emulator?["SSL_CERT_FILE"] == nil)
        }
    }

    @Test("A value with quotes and dollar signs in an environment file is quoted for the shell")
    func quoting() async throws {
        try await withFiles(proxy: 8_444, in: "it's $HOME") { directory, _, _ in
            let text = try String(contentsOfFile: directory + "/firebase.env", encoding: .utf8)
            #expect(text.hasPrefix(#"export GOOGLE_APPLICATION_CREDENTIALS='"# + directory.dropLast(8)))
            #expect(text.contains(#"/it'\''s $HOME/service-account-2.json'"#))
        }
    }
}
