import ArgumentParser
import Foundation
import HTTPTypes
import JSON

/// The verb `register`.
struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Subscribe a device to an agent, as the app does.",
        discussion: """
            The token is the one that the operating system or FCM gave the app. Notifications to a token that begins \
            with “emulated:” go to the gateway's inbox. Every user of this machine can read arguments, so give a \
            device's token by standard input (“--token -”) or in the variable PUSHGATE_DEVICE_TOKEN. A browser has a \
            subscription in place of a token.
            """)

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var secret: SecretOptions

    @Option(help: ArgumentHelp("The agent's directory on its server.", valueName: "DIRECTORY"))
    var cwd: String

    @Option(
        help: ArgumentHelp(
            "The device's token; “-” reads it from standard input.",
            discussion: "Default: the environment variable PUSHGATE_DEVICE_TOKEN.", valueName: "TOKEN"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "A file with a browser's subscription, in place of a token; “-” reads it from standard input.",
            discussion: "It has the JSON that PushSubscription.toJSON() gives.", valueName: "FILE"))
    var webPush: String?

    @Option(help: ArgumentHelp("The installation's id. Registering it again replaces its token.", valueName: "ID"))
    var installationID = "command-line"

    @Option(
        help: ArgumentHelp(
            "The agent's name, shown as the notification's title. Without it a stored name is deleted.",
            valueName: "NAME"))
    var name: String?

    @Option(help: ArgumentHelp("The app's bundle id, if it is not the gateway's default app.", valueName: "BUNDLE-ID"))
    var bundleID: String?

    @Option(
        help: ArgumentHelp(
            "The token's environment, sandbox or production, if it is not the gateway's default.", valueName: "NAME"))
    var environment: String?

    func validate() throws {
        try AgentDirectory.check(cwd)
        guard token == nil || webPush == nil else { throw ValidationError("Give either --token or --web-push.") }
    }

    func run() async throws {
        var body: JSONObject = ["cwd": .string(cwd), "installation_id": .string(installationID)]
        if let webPush {
            body["web_push"] = try SubscriptionArgument.subscription(webPush)
        } else {
            let token = try TokenArgument.token(orFromEnvironment: token)
            try TokenArgument.checkForm(of: token)
            body["fcm_token"] = .string(token)
        }
        body["agent_display_name"] = name.map(JSONValue.string)
        body["bundle_id"] = bundleID.map(JSONValue.string)
        body["apns_environment"] = environment.map(JSONValue.string)
        let answer = try await GatewayClient(baseURL: try await gateway.baseURL(for: secret)).succeed(
            .post, "/registerSubscription", bearer: try secret.secret(), body: .object(body))
        if gateway.json { return print(answer.text) }
        print("subscribed \(installationID) to \(cwd)")
        if answer["replaced"] == true {
            print("  It replaces the token that \(installationID) had; give each device its own --installation-id.")
        }
        print("  server \(answer["server_key"]?.shown ?? "?")")
        print("  agent  \(answer["agent_key"]?.shown ?? "?")")
        answer.printWarnings()
    }
}

/// The verb `unregister`.
struct Unregister: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Unsubscribe a device from an agent, or from all agents of its server.")

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var secret: SecretOptions

    @Option(
        help: ArgumentHelp(
            "The agent's directory. Without it the device is unsubscribed from all agents of the server.",
            valueName: "DIRECTORY"))
    var cwd: String?

    @Option(help: ArgumentHelp("The installation's id.", valueName: "ID"))
    var installationID = "command-line"

    func validate() throws { if let cwd { try AgentDirectory.check(cwd) } }

    func run() async throws {
        var body: JSONObject = ["installation_id": .string(installationID)]
        body["cwd"] = cwd.map(JSONValue.string)
        let answer = try await GatewayClient(baseURL: try await gateway.baseURL(for: secret)).succeed(
            .post, "/unregisterSubscription", bearer: try secret.secret(), body: .object(body))
        print(gateway.json ? answer.text : "subscriptions removed: \(answer["deleted"]?.integer ?? 0)")
    }
}
