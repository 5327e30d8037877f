import Foundation
public import Logging
import NIOCore
public import ServiceLifecycle
import SimulatorTools
import Synchronization

/// A simulator of Apple's side of APNs: strict, scriptable, and fast enough for tens of thousands of notifications a
/// second.
///
/// It serves HTTP/2 over TLS with a CA of its own, checks each request as Apple does, answers as Apple does or as a
/// script says, and keeps the requests. Tests in the same process use this class; others use the control address.
/// `docs/simulator.md` has a complete test.
public final class APNsSimulator: Service {
    private enum Phase {
        case new, starting, stopped
        case running(RunningSimulator)
    }

    let configuration: APNsSimulatorConfiguration
    let history: NotificationHistory
    let scripts = ScriptTable()
    private let channelTable: ChannelTable
    private let logger: Logger
    private let phase = Mutex(Phase.new)

    /// Creates a simulator that does not listen yet; see ``start()``.
    public init(
        configuration: APNsSimulatorConfiguration = APNsSimulatorConfiguration(),
        logger: Logger = Logger(label: "apns-simulator") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.configuration = configuration
        self.history = NotificationHistory(
            limits: NotificationLog.Limits(
                notifications: configuration.historyLimit, payloadBytes: configuration.historyPayloadLimit))
        channelTable = ChannelTable(limit: configuration.channelLimit, makeUUID: configuration.makeUUID)
        self.logger = logger
        scripts.append(connections: configuration.connections)
    }

    /// Creates the certificates, begins to listen, and returns the addresses. It serves from then on, with or without
    /// ``run()``.
    ///
    /// A running simulator returns the same addresses again. A simulator that was shut down cannot be started again.
    ///
    /// - Throws: ``APNsSimulatorError`` if files, credentials or a port are not available.
    @discardableResult
    public func start() async throws(APNsSimulatorError) -> APNsSimulatorAddresses {
        if let addresses = try beginStarting() { return addresses }
        do throws(APNsSimulatorError) {
            let running = try await RunningSimulator.start(
                configuration, history: history, scripts: scripts, channels: channelTable, logger: logger)
            phase.withLock { $0 = .running(running) }
            logger.info("listening for notifications", metadata: ["apns": "\(running.addresses.apns)"])
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
    ///
    /// - Throws: ``APNsSimulatorError`` as ``start()`` does.
    public func run() async throws {
        try await start()
        // It throws if the task is cancelled, which also means shutdown.
        try? await gracefulShutdown()
        await shutdown()
    }

    /// Stops listening, sends GOAWAY to senders, and waits for answers in progress up to
    /// ``APNsSimulatorConfiguration/gracePeriod``. Further calls have no effect.
    public func shutdown() async {
        let running = phase.withLock { phase -> RunningSimulator? in
            guard case .running(let running) = phase else { return nil }
            phase = .stopped
            return running
        }
        await running?.shutdown()
    }
}

/// Channels and phones.
extension APNsSimulator {
    /// Returns the present channels of an app, or of all apps for `nil`, in the order of their ids.
    public func channels(of bundleID: String? = nil) -> [BroadcastChannel] { channelTable.channels(of: bundleID) }

    /// The largest number of channels that one app had at a time.
    public var peakChannels: Int { channelTable.peak }

    /// Gives a phone the notifications and broadcasts for it, from now on.
    public func connect(_ phone: SimulatedPhone) { channelTable.connect(phone) }

    /// Puts a phone back on the network after ``SimulatedPhone/goOffline()``. It gets the newest broadcast of each of
    /// its channels that keeps one.
    public func reconnect(_ phone: SimulatedPhone) {
        channelTable.reconnect(phone, at: Int64(configuration.now().timeIntervalSince1970))
    }
}

/// The functions of the control address, for tests in the same process.
extension APNsSimulator {
    /// The counts of events since the start or the last ``reset()``.
    public var counters: SimulatorCounters { history.counters }

    /// Returns the matching notifications that are still kept, accepted and refused ones, oldest first.
    public func received(matching filter: NotificationFilter = .all) -> [ReceivedNotification] {
        history.page(matching: filter).entries
    }

    /// Waits until `count` matching notifications have been received since the start or the last reset.
    ///
    /// - Parameter timeout: The longest wait: a minute by default, so that tests pass on slow machines too.
    /// - Returns: All matching notifications that are kept, possibly more than `count`.
    /// - Throws: ``APNsSimulatorError/timedOut(waitingFor:received:seconds:)``, also if the task is cancelled.
    @discardableResult
    public func wait(
        for count: Int, matching filter: NotificationFilter = .all, timeout: Duration = .seconds(60)
    ) async throws(APNsSimulatorError) -> [ReceivedNotification] {
        guard await history.wait(for: count, matching: filter, timeout: timeout) else {
            throw .timedOut(
                waitingFor: count, received: history.page(matching: filter, limit: 0).total,
                seconds: timeout / .seconds(1))
        }
        return received(matching: filter)
    }

    /// Deletes the received notifications and sets the counters to zero. Scripts stay.
    public func reset() { history.reset() }

    /// Appends answers for the next valid requests to a device token, or to any token if it is `nil`.
    ///
    /// Steps are used in order. Those for the token come before those for all tokens. After the last step the answer is
    /// 200 again.
    public func script(token: String?, answers: [ScriptedAnswer]) {
        scripts.answers.append(answers, for: token)
    }

    /// Deletes all scripted answers.
    public func clearScript() { scripts.answers.removeAllAnswers() }

    /// Appends steps for future connections. After the last step connections behave normally again.
    public func script(connections: [ConnectionScript]) {
        scripts.append(connections: connections)
    }

    /// Deletes the unused steps for connections. Open connections keep theirs.
    public func clearConnectionScripts() { scripts.replace(connections: []) }
}
