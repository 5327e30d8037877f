import ArgumentParser
import Foundation
import HTTPTypes
import JSON

struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Subscribe a device to an agent, as the app does.",
        discussion: """
            The token is what the phone's operating system or FCM gave the app. One that begins with “emulated:” goes \
            to the gateway's inbox. Every user of this machine can read arguments, so give a phone's by standard input \
            (“--token -”) or in the variable PUSHGATE_DEVICE_TOKEN.
            """)

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var secret: SecretOptions

    @Option(help: "The agent's directory on its server.")
    var cwd: String

    @Option(
        help: ArgumentHelp(
            "The device's token; “-” reads it from standard input.",
            discussion: "Default: the environment variable PUSHGATE_DEVICE_TOKEN."))
    var token: String?

    @Option(help: "The installation's id; registering it again replaces its token.")
    var installationID = "command-line"

    @Option(help: "The agent's name, shown as the notification's title. Left out, a stored one is deleted.")
    var name: String?

    @Option(help: "The app's bundle id, when it is not the gateway's own.")
    var bundleID: String?

    @Option(help: "sandbox or production, when the token's environment is not the gateway's own.")
    var environment: String?

    func validate() throws { try AgentDirectory.check(cwd) }

    func run() async throws {
        let token = try TokenArgument.token(orFromEnvironment: token)
        var body: JSONObject = [
            "cwd": .string(cwd), "installation_id": .string(installationID), "fcm_token": .string(token),
        ]
        body["agent_display_name"] = name.map(JSONValue.string)
        body["bundle_id"] = bundleID.map(JSONValue.string)
        body["apns_environment"] = environment.map(JSONValue.string)
        let answer = try await GatewayClient(baseURL: try gateway.baseURL(for: secret)).succeed(
            .post, "/registerSubscription", bearer: try secret.secret(), body: .object(body))
        if gateway.json { return print(answer.text) }
        print("subscribed \(installationID) to \(cwd)")
        print("  server \(answer["server_key"]?.string ?? "?")")
        print("  agent  \(answer["agent_key"]?.string ?? "?")")
    }
}
