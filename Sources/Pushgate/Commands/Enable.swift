import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import JSON
import PushgateClient

struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Point a daemon here: write its two keys into its environment file.",
        discussion: """
            Sets CODEAGENTS_PUSH_GATEWAY_BASE_URL, and CODEAGENTS_PUSH_SECRET to 32 random bytes when it has no value \
            yet. Every other line stays as it is; so do the file's owner and mode. Restart the daemon afterwards. \
            The secret is not printed: the app reads it from the file, as the daemon does. Warns of a file that other \
            users can read, of a secret that was there and that no gateway takes, and when no gateway answers at the URL.
            """)

    @OptionGroup var gateway: GatewayOptions

    @Option(
        help: "The daemon's environment file, /etc/claude-proxy.env for one; made when missing. A link is followed.")
    var envFile: String

    /// The contents of the file afterwards.
    private struct Result {
        let secret: PushSecret
        let isSecretNew: Bool
        /// `nil` if the file is new.
        let access: FileAccess?
    }

    func run() async throws {
        let text = try gateway.baseURL()
        guard let url = GatewayURL(text) else { throw CommandError("\(text) is no URL of a gateway.") }
        let file = try AtomicFile(resolving: envFile)
        // Two at once would make two secrets, of which one is lost.
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
            throw GatewayError("\(inFile) cannot be sent in any request. \(Self.remedy)")
        }
        let new = Array(contents.bytes)
        if new != old { try file.replace(with: new, access: access ?? .own) }
        return Result(secret: secret, isSecretNew: isSecretNew, access: access)
    }

    // MARK: Warnings

    private static let remedy =
        "Remove the line and run this again for a new one, which the app must then be given too."

    private var inFile: String { "the \(EnvironmentFile.secretKey) in \(envFile)" }

    private func warn(of result: Result) {
        if let mode = result.access?.openMode {
            warn(
                "other users can read or change \(envFile) (mode \(mode)), and the secret is in it. chmod 600 it, if they "
                    + "are not meant to.")
        }
        if !result.secret.isTakenByDefault {
            warn(
                "\(inFile) was kept, but a gateway takes 32 to 256 letters, digits and +/=_- (a lower minimum is "
                    + "functions.codeagents.minimumSecretLength), and it is none such. \(Self.remedy)")
        }
    }

    /// A URL with a mistake in it would be noticed when the first run ends, and then in the daemon's log alone.
    private func warnUnlessHealthy(_ url: GatewayURL) async {
        do {
            let answer = try await GatewayClient(baseURL: url.text).send(.get, "/healthz", deadline: .seconds(5))
            guard answer.status != 200 || answer.body["status"] != "ok" else { return }
            warn(
                "what answers at \(url.text)/healthz is no gateway (\(answer.status)). \(envFile) has that URL all the same."
            )
        } catch {
            warn("\(error) \(envFile) has that URL all the same, whose /healthz did not answer.")
        }
    }

    private func warn(_ text: String) { FileHandle.standardError.write(Data("warning: \(text)\n".utf8)) }

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
            \(envFile) points at \(url.text)
              secret      \(result.isSecretNew ? "new" : "kept")
              server key  \(result.secret.serverKey)
            Restart the daemon to use it.
            """)
    }
}

extension PushSecret {
    /// A Boolean value indicating whether a gateway takes it whose configuration does not say otherwise.
    fileprivate var isTakenByDefault: Bool {
        (32...256).contains(value.utf8.count) && value.utf8.allSatisfy(Self.isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+/=_-".utf8.contains(byte)
        }
    }
}
