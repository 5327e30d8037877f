import ArgumentParser
import HTTPTypes
import JSON

struct Unregister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Unsubscribe a device from an agent, or from all agents of its server.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var secret: SecretOptions

    @Option(help: "The agent's directory; left out, the device leaves every agent of the server.")
    var cwd: String?

    @Option(help: "The installation's id.")
    var installationID = "command-line"

    func validate() throws { if let cwd { try AgentDirectory.check(cwd) } }

    func run() async throws {
        var body: JSONObject = ["installation_id": .string(installationID)]
        body["cwd"] = cwd.map(JSONValue.string)
        let answer = try await GatewayClient(baseURL: try gateway.baseURL(for: secret)).succeed(
            .post, "/unregisterSubscription", bearer: try secret.secret(), body: .object(body))
        print(gateway.json ? answer.text : "subscriptions removed: \(answer["deleted"]?.integer ?? 0)")
    }
}
