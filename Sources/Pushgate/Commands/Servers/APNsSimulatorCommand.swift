import APNsSimulator
import ArgumentParser
import Foundation
import Gateway
import JSON
import Logging
import ServiceLifecycle
import UnixSignals

/// The verb `apns-simulator`.
struct APNsSimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator",
        abstract: "Run a strict simulator of Apple's push service.",
        discussion: """
            Checks every request as APNs does, answers as APNs does or as a script says, logs the cause of each \
            refusal to standard error, and shows the received notifications at its control address (“curl CONTROL/” \
            lists the endpoints). Creates a certificate authority and a provider key of its own, and prints the \
            settings that connect a gateway to it. See docs/apns.md.
            """)

    @Option(help: ArgumentHelp("The address for senders.", valueName: "ADDRESS"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The port for senders; 0 for any free port.", valueName: "PORT"))
    var port = 2_197

    @Option(
        help: ArgumentHelp(
            "The port for the management of channels. Default: 2196, or any free port if --port is 0.",
            valueName: "PORT"))
    var channelPort: Int?

    @Option(help: ArgumentHelp("The number of broadcast channels that an app may have.", valueName: "NUMBER"))
    var channelLimit = 10_000

    @Option(help: ArgumentHelp("The control address. Its clients can see every token.", valueName: "ADDRESS"))
    var controlHost = "127.0.0.1"

    @Option(help: ArgumentHelp("The port of the control address; 0 for any free port.", valueName: "PORT"))
    var controlPort = 2_198

    @Option(
        help: ArgumentHelp(
            "The directory for the certificate and the key. Default: a temporary directory, removed at the end.",
            valueName: "DIRECTORY"))
    var directory: String?

    @Option(
        name: .customLong("name"),
        help: ArgumentHelp("A further DNS name of the certificate. May be repeated.", valueName: "NAME"))
    var names: [String] = []

    @Flag(help: "Refuse deviations from Apple's documentation that APNs accepts; docs/apns.md lists them.")
    var strict = false

    @Flag(help: "Print the addresses as one line of JSON.")
    var json = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        var configuration = APNsSimulatorConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.channelPort = channelPort ?? (port == 0 ? 0 : 2_196)
        configuration.channelLimit = channelLimit
        configuration.controlHost = controlHost
        configuration.controlPort = controlPort
        configuration.directory = directory
        configuration.names = names
        configuration.rules.isStrict = strict
        var logger = Logger(label: "apns-simulator", factory: { HumanLogHandler(label: $0) })
        logger.logLevel = .notice
        let simulator = APNsSimulator(configuration: configuration, logger: logger)
        let addresses = try await simulator.start()
        print(json ? addresses.json.text : addresses.banner)
        fflush(nil)
        try await ServiceGroup(
            configuration: .init(
                services: [simulator], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }
}

extension APNsSimulatorAddresses {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "apns": .string(apns), "channels": .string(channels), "control": .string(control),
            "ca_file": .string(certificateAuthorityPath),
        ]
        object["key_path"] = providerKeyPath.map(JSONValue.string)
        object["key_id"] = providerKeyID.map(JSONValue.string)
        object["team_id"] = providerTeamID.map(JSONValue.string)
        return .object(object)
    }
}
