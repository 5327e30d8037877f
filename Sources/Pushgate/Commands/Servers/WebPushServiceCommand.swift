import ArgumentParser
import Foundation
import Gateway
import IPAddresses
import JSON
import Logging
import Server
import ServiceLifecycle
import UnixSignals
import WebPushService

/// The verb `webpush-service`.
struct WebPushServiceCommand: AsyncParsableCommand {
    /// The service whose rules apply to all requests.
    enum Profile: String, CaseIterable, ExpressibleByArgument {
        case apple, mozilla, google, microsoft, standard
    }

    static let configuration = CommandConfiguration(
        commandName: "webpush-service",
        abstract: "Run a push service for browsers, for tests.",
        discussion: """
            Browsers subscribe at it, and programs that send Web Push reach them through it, without Google, \
            Mozilla or Apple. It checks every request as these services do, answers as they do or as a script says, logs \
            the cause of each refusal to standard error, and shows the received messages, and if the browser has \
            acknowledged them, at its control address (“curl CONTROL/” lists the endpoints). It prints the settings of \
            Firefox, Chromium, a sender and a gateway. It has no access control, so it listens on loopback, unless an \
            option names another address. See docs/webpush-service.md.
            """)

    @Option(
        help: ArgumentHelp(
            "The address for senders and browsers. All that reach it can subscribe.", valueName: "ADDRESS"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The port for senders, over TLS; 0 for any free port.", valueName: "PORT"))
    var port = 8_030

    @Option(
        help: ArgumentHelp(
            "The port for browsers: Firefox's WebSocket, Chromium's check-in and registration; 0 for any free port.",
            valueName: "PORT"))
    var browserPort = 8_031

    @Option(help: ArgumentHelp("The port for Chromium's messages, over TLS; 0 for any free port.", valueName: "PORT"))
    var chromiumPort = 8_032

    @Option(
        help: ArgumentHelp(
            "The port of the proxy under the names of the services' hosts; 0 for any free port.", valueName: "PORT"))
    var proxyPort = 8_033

    @Option(help: ArgumentHelp("The control address. Its clients can see every endpoint.", valueName: "ADDRESS"))
    var controlHost = "127.0.0.1"

    @Option(help: ArgumentHelp("The port of the control address; 0 for any free port.", valueName: "PORT"))
    var controlPort = 8_034

    @Option(
        help: ArgumentHelp(
            """
            The directory for the certificate, the subscriptions, the messages and the profiles of browsers. Default: a \
            temporary directory, removed at the end.
            """, valueName: "DIRECTORY"))
    var dataDirectory: String?

    @Option(
        name: .customLong("name"),
        help: ArgumentHelp("A further DNS name of the certificate. May be repeated.", valueName: "NAME"))
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "The service whose rules and answers apply to all requests. Default: those of each endpoint's service.",
            valueName: "SERVICE"))
    var be: Profile?

    @Flag(
        help: "Refuse deviations from the specifications that the services accept; docs/webpush-service.md lists them.")
    var strict = false

    @Flag(help: "Give endpoints the names of the services' hosts, which senders reach by the proxy.")
    var serviceNames = false

    @Option(help: ArgumentHelp("Start a browser with a profile of its own, and end with it.", valueName: "BROWSER"))
    var launch: LaunchedBrowser.Kind?

    @Flag(help: "Print the addresses as one line of JSON.")
    var json = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("Arguments for the browser, such as the URL of a page.", valueName: "ARGUMENT"))
    var browserArguments: [String] = []

    func validate() throws {
        if launch == nil, !browserArguments.isEmpty {
            throw ValidationError("Arguments for a browser need --launch.")
        }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        // Each browser keeps a connection open.
        _ = DescriptorLimit.raise()
        var logger = Logger(label: "webpush-service", factory: { HumanLogHandler(label: $0) })
        logger.logLevel = .notice
        let service = LocalPushService(configuration: serviceConfiguration, logger: logger)
        let addresses = try await service.start()
        print(json ? addresses.json.text : addresses.banner)
        fflush(nil)
        warnOfOtherAddresses(logger)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [.init(service: service)]
        do {
            if let browser = try browser(addresses) {
                services.append(.init(service: browser, successTerminationBehavior: .gracefullyShutdownGroup))
            }
        } catch {
            await service.shutdown()
            throw error
        }
        try await ServiceGroup(
            configuration: .init(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }

    private var serviceConfiguration: LocalPushServiceConfiguration {
        var configuration = LocalPushServiceConfiguration()
        configuration.host = host
        configuration.port = port
        configuration.browserPort = browserPort
        configuration.chromiumPort = chromiumPort
        configuration.proxyPort = proxyPort
        configuration.controlHost = controlHost
        configuration.controlPort = controlPort
        configuration.directory = dataDirectory
        configuration.names = names
        configuration.usesServiceNames = serviceNames
        configuration.rules.isStrict = strict
        configuration.rules.profile = be.flatMap { PushServiceProfile(rawValue: $0.rawValue) }
        return configuration
    }

    private func warnOfOtherAddresses(_ logger: Logger) {
        for (name, address) in [("--host", host), ("--control-host", controlHost)]
        where !IPAddress.isLoopback(host: address) {
            logger.warning(
                "listening beyond loopback, without any access control: this is no public push service",
                metadata: ["option": "\(name)", "address": "\(address)"])
        }
    }

    private func browser(_ addresses: LocalPushServiceAddresses) throws -> LaunchedBrowser? {
        guard let launch else { return nil }
        return try LaunchedBrowser(launch, addresses, dataDirectory: dataDirectory, arguments: browserArguments)
    }
}

extension LocalPushServiceAddresses {
    fileprivate var json: JSONValue {
        // The values of user.js are literals of JSON.
        let preferences = firefoxPreferences.map {
            (name: $0.name, value: (try? JSONValue(parsing: $0.value)) ?? .null)
        }
        let environment = chromiumEnvironment.map { (name: $0.name, value: JSONValue.string($0.value)) }
        return [
            "push": .string(push), "proxy": .string(proxy), "control": .string(control),
            "ca_file": .string(certificateAuthorityPath), "firefox": .string(firefox),
            "firefox_preferences": .object(JSONObject(preferences)),
            "chromium_flags": .array(chromiumFlags.map(JSONValue.string)),
            "chromium_environment": .object(JSONObject(environment)),
        ]
    }
}
