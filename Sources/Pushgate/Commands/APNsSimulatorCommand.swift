import APNsSimulator
import ArgumentParser
import Foundation
import JSON
import Logging
import ServiceLifecycle
import UnixSignals

struct APNsSimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator",
        abstract: "Run a strict stand-in for Apple's push service.",
        discussion: """
            Checks every request as APNs does, answers as APNs does or as it was told, says on standard error why it \
            refuses one, and shows what it received at its control address (“curl CONTROL/” lists what can be asked there). Makes a certificate authority and a provider \
            key of its own, and prints the settings that point a gateway at them. See docs/apns.md.
            """)

    @Option(help: "The address senders connect to.")
    var host = "127.0.0.1"

    @Option(help: "The port senders connect to; 0 for any.")
    var port = 2_197

    @Option(help: "The address of control. Whoever reaches it sees every token.")
    var controlHost = "127.0.0.1"

    @Option(help: "The port of the control address; 0 for any.")
    var controlPort = 2_198

    @Option(help: "Where to keep the certificate and the key. Default: a temporary directory, removed at the end.")
    var directory: String?

    @Option(name: .customLong("name"), help: "One more name the certificate is for.")
    var names: [String] = []

    @Flag(help: "Refuse what APNs takes although its documentation asks for something else; docs/apns.md lists it.")
    var strict = false

    @Flag(help: "Print the addresses as JSON, on one line, for programs.")
    var json = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        var configuration = APNsSimulatorConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.controlHost = controlHost
        configuration.controlPort = controlPort
        configuration.directory = directory
        configuration.names = names
        configuration.rules.isStrict = strict
        var logger = Logger(label: "apns-simulator", factory: { StreamLogHandler.standardError(label: $0) })
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
            "apns": .string(apns), "control": .string(control), "ca_file": .string(certificateAuthorityPath),
        ]
        object["key_path"] = providerKeyPath.map(JSONValue.string)
        object["key_id"] = providerKeyID.map(JSONValue.string)
        object["team_id"] = providerTeamID.map(JSONValue.string)
        return .object(object)
    }
}
