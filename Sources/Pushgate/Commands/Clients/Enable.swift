import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import Instance
import JSON
import PushgateClient
import Texts

/// The verb `enable`.
struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Connect a daemon to the gateway: write the URL and the secret into its environment file.",
        discussion: """
            Sets CODEAGENTS_PUSH_GATEWAY_BASE_URL, and CODEAGENTS_PUSH_SECRET to 32 random bytes if it has no value \
            yet. All other lines, the file's owner and its mode do not change. Restart the daemon afterwards. The \
            secret is not printed: the app reads it from the file, as the daemon does. Warns if other users can read \
            the file, if an existing secret is not valid for a gateway, and if no gateway answers at the URL.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Option(
        help:
            ArgumentHelp(
                "The daemon's environment file, for example /etc/claude-proxy.env; created if missing. Links are followed.",
                valueName: "FILE"))
    var envFile: String

    /// The result of changing the file.
    private struct Result {
        let secret: PushSecret
        let isSecretNew: Bool
        /// `nil` if the file is new.
        let access: FileAccess?
    }

    func run() async throws {
        let text = try await gateway.baseURL()
        guard let url = GatewayURL(text) else { throw CommandError("\(text) is not the URL of a gateway.") }
        let file = try AtomicFile(resolving: envFile)
        // Two processes at the same time would create two secrets, and one would be lost.
        let result = try FileLock(for: file).exclusively { () throws(GatewayError) in try enable(url, in: file) }
        warn(of: result)
        await warnUnlessHealthy(url)
        report(url, result)
    }

    private func enable(_ url: GatewayURL, in file: AtomicFile) throws(GatewayError) -> Result {
        let (old, access) = (try file.contents(), try file.access())
        var contents = EnvironmentFile(Data(old ?? []))
        var isSecretNew = false
        let secret: PushSecret
        do {
            secret = try contents.enablePush(gateway: url) {
                isSecretNew = true
                return .random()
            }
        } catch {
            throw GatewayError("\(inFile) cannot be sent in a request. \(Self.remedy)")
        }
        let new = Array(contents.bytes)
        if new != old { try file.replace(with: new, access: access ?? .own) }
        return Result(secret: secret, isSecretNew: isSecretNew, access: access)
    }

    // MARK: Warnings

    private static let remedy =
        "Remove the line and run this again for a new secret, and give it to the app too."

    private var inFile: String { "the \(EnvironmentFile.secretKey) in \(envFile)" }

    private func warn(of result: Result) {
        if let mode = result.access?.openMode {
            printWarning(
                "other users can read or change \(envFile) (mode \(mode)), which has the secret. To prevent that, "
                    + "run chmod 600 on it.")
        }
        if !result.secret.isTakenByDefault {
            printWarning(
                "\(inFile) was kept, but a gateway requires 32 to 256 letters, digits and +/=_- "
                    + "(functions.codeagents.minimumSecretLength lowers the minimum). \(Self.remedy)")
        }
    }

    /// Warns if no gateway answers. Otherwise a wrong URL would show only in the daemon's log, after the first run.
    private func warnUnlessHealthy(_ url: GatewayURL) async {
        do {
            let answer = try await GatewayClient(baseURL: url.text).send(.get, "/healthz", deadline: .seconds(5))
            guard answer.status != 200 || answer.body["status"] != "ok" else { return }
            printWarning(
                "the server at \(url.text)/healthz is no gateway (\(answer.status)). \(envFile) was changed anyway."
            )
        } catch {
            printWarning("\(error) \(envFile) was changed anyway.")
        }
    }

    // MARK: The report

    private func report(_ url: GatewayURL, _ result: Result) {
        if gateway.json {
            let object: JSONValue = [
                "env_file": .string(envFile), "base_url": .string(url.text),
                "server_key": .string(result.secret.serverKey), "secret_created": .bool(result.isSecretNew),
            ]
            return print(object.text)
        }
        print(
            """
            \(envFile) names the gateway \(url.text)
              secret      \(result.isSecretNew ? "new" : "kept")
              server key  \(result.secret.serverKey)
            Restart the daemon to use it.
            """)
    }
}

extension PushSecret {
    /// `true` if a gateway with the default configuration accepts the secret.
    fileprivate var isTakenByDefault: Bool {
        (32...256).contains(value.utf8.count)
            && value.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+/=_-".utf8.contains($0) }
    }
}
