import ArgumentParser
import Cryptography
import Foundation
import Gateway
import JSON
import PushgateClient

struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Point a daemon here: write its two keys into its environment file.",
        discussion: """
            Sets CODEAGENTS_PUSH_GATEWAY_BASE_URL, and CODEAGENTS_PUSH_SECRET to 32 random bytes when it has no value \
            yet. Every other line stays as it is; so do the file's owner and mode. Restart the daemon afterwards. \
            The secret is not printed: the app reads it from the file, as the daemon does.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Option(help: "The daemon's environment file, /etc/claude-proxy.env for one; made when missing.")
    var envFile: String

    func run() async throws {
        let baseURL = try gateway.baseURL()
        let file = AtomicFile(resolving: envFile)
        let old = try file.contents()
        var contents = EnvironmentFile(Data(old ?? []))
        let secret = contents.value(of: EnvironmentFile.secretKey).flatMap { $0.isEmpty ? nil : $0 }
        if secret == nil {
            try contents.set(EnvironmentFile.secretKey, to: Data(RandomBytes.generate(32)).base64EncodedString())
        }
        if contents.value(of: EnvironmentFile.baseURLKey) != baseURL {
            try contents.set(EnvironmentFile.baseURLKey, to: baseURL)
        }
        let new = Array(contents.bytes)
        if new != old { try file.replace(with: new, access: FileAccess(of: file.path) ?? .own) }
        report(
            baseURL, isSecretNew: secret == nil,
            serverKey: SHA256.hexadecimal(of: contents.value(of: EnvironmentFile.secretKey) ?? ""))
    }

    private func report(_ baseURL: String, isSecretNew: Bool, serverKey: String) {
        if gateway.json {
            let object: JSONValue = [
                "env_file": .string(envFile), "base_url": .string(baseURL), "server_key": .string(serverKey),
                "secret_created": .bool(isSecretNew),
            ]
            return print(object.text)
        }
        print(
            """
            \(envFile) points at \(baseURL)
              secret      \(isSecretNew ? "new" : "kept")
              server key  \(serverKey)
            Restart the daemon to use it.
            """)
    }
}
