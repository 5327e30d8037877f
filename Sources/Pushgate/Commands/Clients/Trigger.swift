import ArgumentParser
import HTTPTypes
import JSON
import Texts

/// The verb `trigger`.
struct Trigger: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report a finished reply, as the daemon does.",
        discussion: "Exits with 1 if there are devices to notify and no notification was sent or will be sent later.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var secret: SecretOptions

    @Option(help: ArgumentHelp("The agent's directory on its server.", valueName: "DIRECTORY"))
    var cwd: String

    @Option(help: ArgumentHelp("The beginning of the reply, for the notification's body.", valueName: "TEXT"))
    var preview: String?

    @Option(help: ArgumentHelp("The conversation's id, for the app.", valueName: "ID"))
    var conversationID: String?

    @Option(help: ArgumentHelp("The id of an installation that gets no notification.", valueName: "ID"))
    var excludeInstallationID: String?

    func validate() throws { try AgentDirectory.check(cwd) }

    func run() async throws {
        var body: JSONObject = ["cwd": .string(cwd)]
        body["message_preview"] = preview.map(JSONValue.string)
        body["conversation_id"] = conversationID.map(JSONValue.string)
        body["exclude_installation_id"] = excludeInstallationID.map(JSONValue.string)
        let answer = try await GatewayClient(baseURL: try await gateway.baseURL(for: secret)).succeed(
            .post, "/triggerReplyFinished", bearer: try secret.secret(), body: .object(body))
        print(gateway.json ? answer.text : Self.text(answer))
        if !gateway.json { answer.printWarnings() }
        // A newer trigger that replaced this one is no failure.
        let isUnderWay = ["sent", "pending", "superseded"].contains { answer.count($0) > 0 }
        if !isUnderWay, answer.count("attempted") > 0 { throw ExitCode.failure }
    }

    private static func text(_ answer: JSONValue) -> String {
        if answer["reason"]?.string == "unknown_server" {
            return "no device to notify: none has registered with this server's secret"
        }
        guard answer.count("attempted") > 0 else {
            return "no device to notify: none is subscribed to this agent (\(answer.count("excluded")) excluded)"
        }
        let counts = ["attempted", "sent", "pending", "pruned", "superseded", "excluded"]
            .filter { $0 == "attempted" || $0 == "sent" || answer.count($0) > 0 }
            .map { "\($0) \(answer.count($0))" }
        let errors = (answer["errors"]?.object?.members ?? []).map { code, count in
            "\n  \(EscapedText.line(code)): \(count.integer ?? 0)"
        }
        return counts.joined(separator: ", ") + errors.joined()
    }
}

extension JSONValue {
    fileprivate func count(_ name: String) -> Int64 { self[name]?.integer ?? 0 }
}
