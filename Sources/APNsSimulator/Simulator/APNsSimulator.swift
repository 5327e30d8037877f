public import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization

/// A stand-in for Apple's side of APNs: strict, scriptable, and good for tens of thousands of notifications a second.
///
/// It speaks HTTP/2 over TLS with a CA of its own, checks each request as Apple does, answers as Apple does or as it
/// was told, and keeps what it received. Tests in the same process ask it directly; others use its control address.
///
/// ```swift
/// let simulator = APNsSimulator(configuration: .init())
/// let addresses = try await simulator.start()
/// simulator.script(token: "abcd", answers: [.rejecting(.unregistered)])
/// // … point a sender at addresses.apns …
/// let received = try await simulator.wait(for: 1, timeout: .seconds(5))
/// await simulator.shutdown()
/// ```
public final class APNsSimulator: Service {
    private enum Phase {
        case new, starting, stopped
        case running(RunningSimulator)
    }

    let configuration: APNsSimulatorConfiguration
    let history: NotificationHistory
    let scripts = ScriptTable()
    private let logger: Logger
    private let phase = Mutex(Phase.new)

    public init(
        configuration: APNsSimulatorConfiguration = APNsSimulatorConfiguration(),
        logger: Logger = Logger(label: "apns-simulator") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.configuration = configuration
        self.history = NotificationHistory(
            limits: NotificationLog.Limits(
                notifications: configuration.historyLimit, payloadBytes: configuration.historyPayloadLimit))
        self.logger = logger
        scripts.append(connections: configuration.connections)
    }

    /// Makes the certificates, listens, and returns where. It serves from then on, with or without ``run()``.
    ///
    /// A simulator that runs answers with the same addresses again; one that was shut down cannot be started.
    @discardableResult
    public func start() async throws(APNsSimulatorError) -> APNsSimulatorAddresses {
        if let addresses = try beginStarting() { return addresses }
        do throws(APNsSimulatorError) {
            let running = try await RunningSimulator.start(
                configuration, history: history, scripts: scripts, logger: logger)
            phase.withLock { $0 = .running(running) }
            logger.info("APNs simulator listening", metadata: ["apns": "\(running.addresses.apns)"])
            return running.addresses
        } catch {
            phase.withLock { $0 = .stopped }
            throw error
        }
    }

    private func beginStarting() throws(APNsSimulatorError) -> APNsSimulatorAddresses? {
        try phase.withLock { phase throws(APNsSimulatorError) in
            switch phase {
            case .new:
                phase = .starting
                return nil
            case .running(let running): return running.addresses
            case .starting, .stopped: throw .startedTwice
            }
        }
    }

    /// Serves until the surrounding `ServiceGroup` shuts down, or the task is cancelled.
    public func run() async throws {
        try await start()
        // Thrown when the task is cancelled, which is one more way to be told to stop.
        try? await gracefulShutdown()
        await shutdown()
    }

    /// Says goodbye to senders (GOAWAY), waits for answers on their way, and stops listening. May be called again.
    public func shutdown() async {
        let running = phase.withLock { phase -> RunningSimulator? in
            guard case .running(let running) = phase else { return nil }
            phase = .stopped
            return running
        }
        await running?.shutdown()
    }
}
