import Logging
import NIOCore
import SimulatorTools

/// The running part of a simulator: its two ports and its files.
struct RunningSimulator: Sendable {
    let addresses: APNsSimulatorAddresses
    /// The servers of notifications and of channels.
    private let servers: [APNsServer]
    private let listeners: [any Channel]
    private let controlServer: ControlServer
    private let controlListener: any Channel
    private let directory: SimulatorDirectory
    private let gracePeriod: Duration

    static func start(
        _ configuration: APNsSimulatorConfiguration, history: NotificationHistory, scripts: ScriptTable,
        channels: ChannelTable, logger: Logger
    ) async throws(APNsSimulatorError) -> RunningSimulator {
        let directory = try makeDirectory(configuration)
        do throws(APNsSimulatorError) {
            return try await RunningSimulator(
                configuration, in: directory, history: history, scripts: scripts, channels: channels, logger: logger)
        } catch {
            directory.removeIfTemporary()
            throw error
        }
    }

    private static func makeDirectory(
        _ configuration: APNsSimulatorConfiguration
    ) throws(APNsSimulatorError) -> SimulatorDirectory {
        do { return try SimulatorDirectory(configuration.directory, name: "apns-simulator") } catch {
            throw APNsSimulatorError(error)
        }
    }

    private init(
        _ configuration: APNsSimulatorConfiguration, in directory: SimulatorDirectory, history: NotificationHistory,
        scripts: ScriptTable, channels: ChannelTable, logger: Logger
    ) async throws(APNsSimulatorError) {
        self.directory = directory
        let credentials = try SimulatorCredentials(configuration, directory: directory)
        var rules = configuration.rules
        if let own = credentials.ownKey { rules.providerKeys.append(own.key) }
        let responder = APNsResponder(
            configuration, history: history, scripts: scripts, channels: channels, logger: logger)
        var manager = responder
        manager.host = .channels
        let numbers = ConnectionNumbers()
        servers = [responder, manager].map { [rules] responder in
            APNsServer(
                configuration: configuration, rules: rules, responder: responder, tls: credentials.tls,
                connections: numbers)
        }
        controlServer = ControlServer(
            host: configuration.controlHost, port: configuration.controlPort,
            endpoints: ControlRouter(history: history, scripts: scripts, channels: channels))
        (listeners, controlListener) = try await Self.listen(servers, controlServer, configuration)
        addresses = APNsSimulatorAddresses(
            apns: "https://" + Listening.authority(configuration.host, listeners[0]),
            channels: "https://" + Listening.authority(configuration.host, listeners[1]),
            control: "http://" + Listening.authority(configuration.controlHost, controlListener),
            certificateAuthorityPath: credentials.certificateAuthorityPath,
            providerKeyPath: credentials.ownKey?.path, providerKeyID: credentials.ownKey?.key.keyID,
            providerTeamID: credentials.ownKey?.key.teamID, checksSignatures: !rules.providerKeys.isEmpty)
        gracePeriod = configuration.gracePeriod
    }

    private static func listen(
        _ servers: [APNsServer], _ control: ControlServer, _ configuration: APNsSimulatorConfiguration
    ) async throws(APNsSimulatorError) -> ([any Channel], any Channel) {
        var listeners: [any Channel] = []
        for server in servers {
            do {
                listeners.append(try await server.bind(on: configuration.eventLoopGroup))
            } catch {
                for listener in listeners { try? await listener.close() }
                throw .listening(
                    address: "\(configuration.host):\(server.port)", cause: Listening.cause(of: error))
            }
        }
        do {
            return (listeners, try await control.bind(on: configuration.eventLoopGroup))
        } catch {
            for listener in listeners { try? await listener.close() }
            throw .listening(
                address: "\(configuration.controlHost):\(configuration.controlPort)", cause: Listening.cause(of: error))
        }
    }

    func shutdown() async {
        for listener in listeners { try? await listener.close() }
        for server in servers {
            await server.channels.close(telling: ConnectionHandler.ShutdownEvent(gracePeriod: TimeAmount(gracePeriod)))
        }
        try? await controlListener.close()
        await controlServer.closeConnections()
        directory.removeIfTemporary()
    }
}
