import Cryptography
import Foundation
import Logging
import NIOCore
import SimulatorTools

/// The running part of a push service: its ports, its state and its files.
struct RunningPushService: Sendable {
    let addresses: LocalPushServiceAddresses
    let broker: PushBroker
    private let listeners: [any Channel]
    private let pushServer: PushServer
    private let proxy: ServiceProxy
    private let browserServer: BrowserServer
    private let mcsServer: MCSServer
    private let controlServer: ControlServer
    private let expiry: RepeatedTask
    private let directory: SimulatorDirectory
    private let gracePeriod: Duration

    static func start(
        _ configuration: LocalPushServiceConfiguration, history: MessageHistory, scripts: PushScripts,
        logger: Logger
    ) async throws(LocalPushServiceError) -> RunningPushService {
        let directory: SimulatorDirectory
        do { directory = try SimulatorDirectory(configuration.directory, name: "webpush-service") } catch {
            throw LocalPushServiceError(error)
        }
        do throws(LocalPushServiceError) {
            return try await RunningPushService(
                configuration, in: directory, history: history, scripts: scripts, logger: logger)
        } catch {
            directory.removeIfTemporary()
            throw error
        }
    }

    private init(
        _ configuration: LocalPushServiceConfiguration, in directory: SimulatorDirectory, history: MessageHistory,
        scripts: PushScripts, logger: Logger
    ) async throws(LocalPushServiceError) {
        let parts: Parts
        do {
            parts = try Parts(configuration, in: directory, history: history, scripts: scripts, logger: logger)
        } catch {
            throw LocalPushServiceError(error)
        }
        let listening = try await Listeners(configuration, parts)
        let broker = parts.broker
        self.broker = broker
        addresses = listening.addresses(parts.authority, keyHash: parts.keyHash)
        broker.setOrigin(addresses.push)
        listeners = listening.all
        pushServer = parts.pushServer
        proxy = parts.proxy
        browserServer = parts.browserServer
        mcsServer = parts.mcsServer
        controlServer = parts.controlServer
        expiry = configuration.eventLoopGroup.next().scheduleRepeatedTask(
            initialDelay: .seconds(1), delay: .seconds(1)
        ) { _ in broker.expire() }
        self.directory = directory
        gracePeriod = configuration.gracePeriod
    }

    func shutdown() async {
        expiry.cancel()
        for listener in listeners { try? await listener.close() }
        await pushServer.closeConnections(within: TimeAmount(gracePeriod))
        await proxy.closeConnections()
        await browserServer.closeConnections()
        await mcsServer.closeConnections()
        await controlServer.closeConnections()
        directory.removeIfTemporary()
    }
}

extension RunningPushService {
    /// The servers before they listen.
    private struct Parts {
        let authority: SimulatorAuthority
        let keyHash: String
        let broker: PushBroker
        let pushServer: PushServer
        let proxy: ServiceProxy
        let browserServer: BrowserServer
        let mcsServer: MCSServer
        let controlServer: ControlServer

        init(
            _ configuration: LocalPushServiceConfiguration, in directory: SimulatorDirectory,
            history: MessageHistory, scripts: PushScripts, logger: Logger
        ) throws(SimulatorSetupError) {
            let clock = configuration.now
            let now: @Sendable () -> Int64 = { Int64((clock().timeIntervalSince1970 * 1000).rounded()) }
            authority = try SimulatorAuthority(named: "Push service CA", in: directory)
            keyHash = try Self.keyHash(authority)
            broker = try PushBroker(
                endpoints: EndpointForm(origin: "", usesServiceNames: configuration.usesServiceNames),
                history: history, directory: directory.isTemporary ? nil : directory, now: now,
                makeToken: configuration.makeToken, logger: logger)
            let responder = PushResponder(
                broker: broker, history: history, scripts: scripts, latency: configuration.latency, now: now,
                makeToken: configuration.makeToken, logger: logger)
            pushServer = PushServer(
                responder: responder, rules: configuration.rules,
                tls: try authority.tls(
                    host: configuration.host, names: configuration.names + Self.serviceNames,
                    applicationProtocols: ["h2", "http/1.1"]))
            proxy = ServiceProxy(server: pushServer)
            browserServer = BrowserServer(broker: broker, now: now)
            mcsServer = MCSServer(
                broker: broker,
                tls: try authority.tls(
                    host: configuration.host, names: configuration.names, applicationProtocols: []), now: now)
            controlServer = ControlServer(
                host: configuration.controlHost, port: configuration.controlPort,
                endpoints: PushControlRouter(broker: broker, history: history, scripts: scripts))
        }

        /// The names of the services' hosts in the certificate.
        private static var serviceNames: [String] {
            PushServiceProfile.allCases.flatMap { $0.hosts + $0.hostSuffixes.map { "*" + $0 } }
        }

        private static func keyHash(_ authority: SimulatorAuthority) throws(SimulatorSetupError) -> String {
            try SimulatorSetupError.attempt {
                let key = try ES256PrivateKey(pem: authority.authority.privateKeyPEM()).publicKey
                let lines = key.pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
                let encoded = Data(base64Encoded: lines.joined()) ?? Data()
                return Data(SHA256.digest(of: encoded)).base64EncodedString()
            }
        }
    }

    /// The listeners of a service. If one cannot listen, the others are closed again.
    private struct Listeners {
        private(set) var all: [any Channel] = []
        private let push: String
        private let browsers: String
        private let chromium: String
        private let proxy: String
        private let control: String

        init(
            _ configuration: LocalPushServiceConfiguration, _ parts: Parts
        ) async throws(LocalPushServiceError) {
            let (host, group) = (configuration.host, configuration.eventLoopGroup)
            var open: [any Channel] = []
            do throws(LocalPushServiceError) {
                push = try await Self.listen(host, configuration.port, &open) { port in
                    try await parts.pushServer.bind(host: host, port: port, on: group)
                }
                browsers = try await Self.listen(host, configuration.browserPort, &open) { port in
                    try await parts.browserServer.bind(host: host, port: port, on: group)
                }
                chromium = try await Self.listen(host, configuration.chromiumPort, &open) { port in
                    try await parts.mcsServer.bind(host: host, port: port, on: group)
                }
                proxy = try await Self.listen(host, configuration.proxyPort, &open) { port in
                    try await parts.proxy.bind(host: host, port: port, on: group)
                }
                control = try await Self.listen(configuration.controlHost, configuration.controlPort, &open) { _ in
                    try await parts.controlServer.bind(on: group)
                }
            } catch {
                for listener in open { try? await listener.close() }
                throw error
            }
            all = open
        }

        /// Opens a listener, and returns its host and port.
        private static func listen(
            _ host: String, _ port: Int, _ open: inout [any Channel],
            _ bind: (Int) async throws -> any Channel
        ) async throws(LocalPushServiceError) -> String {
            do {
                let listener = try await bind(port)
                open.append(listener)
                return Listening.authority(host, listener)
            } catch {
                throw .listening(address: "\(host):\(port)", cause: Listening.cause(of: error))
            }
        }

        func addresses(_ authority: SimulatorAuthority, keyHash: String) -> LocalPushServiceAddresses {
            LocalPushServiceAddresses(
                push: "https://" + push, firefox: "ws://\(browsers)/",
                chromiumCheckIn: "http://" + browsers + BrowserResponder.checkInPath,
                chromiumRegistration: "http://" + browsers + BrowserResponder.registrationPath,
                chromiumMCS: "https://" + chromium, proxy: "http://" + proxy, control: "http://" + control,
                certificateAuthorityPath: authority.certificatePath, certificateAuthorityKeyHash: keyHash)
        }
    }
}
