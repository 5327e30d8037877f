import ArgumentParser
import Cryptography
import Gateway
import JSON

/// The command line. The verbs are in `Commands/`, grouped as `--help` shows them.
@main
struct Pushgate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushgate",
        abstract: "A self-hosted push gateway: functions, documents and messaging in one binary.",
        discussion: """
            Start with “pushgate demo”, or “pushgate serve” and, in another terminal:

              export CODEAGENTS_PUSH_SECRET=$(head -c 32 /dev/urandom | base64)
              pushgate register --cwd /srv/app --token emulated:my-phone --name "My agent"
              pushgate trigger --cwd /srv/app --preview "All tests pass."
              pushgate inbox

            Verbs that read or change data talk to a running gateway: the one that --server or --data-directory \
            names, otherwise the one that is found on this machine: on ./pushgate-data, as a service, or started by this \
            user.
            """,
        version: GatewayVersion.current,
        subcommands: [Version.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Servers",
                subcommands: [
                    Serve.self, Backup.self, Restore.self, Export.self, Import.self, Copy.self, Certificates.self,
                    APNsSimulatorCommand.self, WebPushServiceCommand.self, Demo.self,
                ]),
            CommandGroup(
                name: "Acting as an app or a daemon",
                subcommands: [Register.self, Unregister.self, Trigger.self, Send.self]),
            CommandGroup(
                name: "Setting clients up",
                subcommands: [
                    Enable.self, Pair.self, Init.self, Accounts.self, AccessTokenCommand.self, Sessions.self,
                    Servers.self, Tokens.self,
                ]),
            CommandGroup(
                name: "Inspecting a gateway",
                subcommands: [
                    Why.self, DoctorCommand.self, InboxCommand.self, ScriptCommand.self, Deliveries.self,
                    WebhooksCommand.self, Channels.self, Documents.self, FirestoreCommand.self, Health.self,
                ]),
        ])

    static func main() async {
        if CommandLine.arguments.dropFirst().first == "serve" { EarlyHangUp.remember() }
        LibraryCleanUp.disable()
        if let problem = VerbNames.problem(with: Array(CommandLine.arguments.dropFirst())) { exit(withError: problem) }
        await main(nil)
    }
}

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version.")

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() {
        let version = GatewayVersion.current
        print(json ? JSONValue.object(["version": .string(version)]).text : version)
    }
}
