import ArgumentParser
import Cryptography
import Foundation
import Gateway
import HTTPTypes
import JSON

struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "Show what emulated devices received.",
        discussion: "With --wait, exits with 1 when fewer notifications than that have come by --timeout.")

    @OptionGroup var gateway: GatewayOptions

    @Option(help: "Only this installation's.")
    var installationID: String?

    @Option(
        help: ArgumentHelp(
            "Only of the device with this token.",
            discussion: """
                As such, “-” for a line of standard input, or a fingerprint as it is printed, token#…; the gateway is told \
                the fingerprint.
                """))
    var token: String?

    @Option(help: "Only what was sent to this topic.")
    var topic: String?

    @Option(help: "Wait until there are so many.")
    var wait: Int?

    @Option(help: "How many seconds to wait at most, up to 60.")
    var timeout = 10

    @Flag(
        help: "Show what was sent to the emulator by FCM's interface, what reached nobody too, and how it was answered."
    )
    var sent = false

    @Flag(help: "Forget everything received; with --sent, everything sent.")
    var reset = false

    func validate() throws {
        if sent, installationID != nil {
            throw ValidationError("--sent goes by --token and --topic, not by --installation-id")
        }
    }

    func run() async throws {
        let path = sent ? "/emulator/v1/messages" : "/emulator/v1/inbox"
        if reset {
            _ = try await gateway.admin(.delete, path)
            return print(gateway.json ? "{}" : sent ? "sent messages forgotten" : "inbox emptied")
        }
        let answer = try await gateway.admin(.get, path + query())
        print(gateway.json ? answer.text : text(of: answer))
        guard answer["timed_out"] == true else { return }
        throw CommandError("not as many as --wait asks for came in \(timeout) s; these are all there are.")
    }

    private func text(of answer: JSONValue) -> String {
        guard !sent else { return InboxText.messages(answer) }
        return InboxText.notifications(answer, isFiltered: installationID != nil || token != nil || topic != nil)
    }

    private func query() throws -> String {
        var components = URLComponents()
        components.queryItems = [URLQueryItem(name: "timeout", value: String(timeout))]
        if let wait { components.queryItems?.append(URLQueryItem(name: "wait_for", value: String(wait))) }
        if let installationID {
            components.queryItems?.append(URLQueryItem(name: "installation_id", value: installationID))
        }
        if let token {
            components.queryItems?.append(URLQueryItem(name: "token", value: try Self.fingerprint(token)))
        }
        if let topic { components.queryItems?.append(URLQueryItem(name: "topic", value: topic)) }
        return "?" + (components.percentEncodedQuery ?? "")
    }

    private static func fingerprint(_ argument: String) throws -> String {
        let prefix = "token#"
        if argument.hasPrefix(prefix) { return String(argument.dropFirst(prefix.count)) }
        return String(SHA256.hexadecimal(of: try TokenArgument.token(argument)).prefix(8))
    }
}
