public import Logging
import NIOCore
public import ServiceLifecycle
import SimulatorTools
import Synchronization

/// A push service for browsers and for tests of application servers: strict, scriptable, and on loopback.
///
/// Browsers subscribe at it, Firefox by Mozilla's protocol and Chromium by Google's. Application servers send by RFC
/// 8030, with the checks and the answers of Apple's, Mozilla's, Google's or Microsoft's service, or as a script says.
/// It keeps the requests, and knows if the browser has acknowledged the message. Tests in the same process use this
/// class; others use the control address. `docs/webpush-service.md` has complete tests.
public final class LocalPushService: Service {
    private enum Phase {
        case new, starting, stopped
        case running(RunningPushService)
    }

    let configuration: LocalPushServiceConfiguration
    let history: MessageHistory
    let scripts = PushScripts()
    private let logger: Logger
    private let phase = Mutex(Phase.new)

    /// Creates a service that does not listen yet; see ``start()``.
    public init(
        configuration: LocalPushServiceConfiguration = LocalPushServiceConfiguration(),
        logger: Logger = Logger(label: "webpush-service") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.configuration = configuration
        self.history = MessageHistory(
            limits: MessageLog.Limits(
                messages: configuration.historyLimit, bodyBytes: configuration.historyBodyLimit))
        self.logger = logger
    }

    /// Creates the certificates, begins to listen, and returns the addresses. It serves from then on, with or without
    /// ``run()``.
    ///
    /// A running service returns the same addresses again. A service that was shut down cannot be started again.
    ///
    /// - Throws: ``LocalPushServiceError`` if files, credentials or a port are not available.
    @discardableResult
    public func start() async throws(LocalPushServiceError) -> LocalPushServiceAddresses {
        if let addresses = try beginStarting() { return addresses }
        do throws(LocalPushServiceError) {
            let running = try await RunningPushService.start(
                configuration, history: history, scripts: scripts, logger: logger)
            phase.withLock { $0 = .running(running) }
            logger.info("listening for messages", metadata: ["push": "\(running.addresses.push)"])
            return running.addresses
        } catch {
            phase.withLock { $0 = .stopped }
            throw error
        }
    }

    private func beginStarting() throws(LocalPushServiceError) -> LocalPushServiceAddresses? {
        try phase.withLock { phase throws(LocalPushServiceError) in
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
    /// - Throws: ``LocalPushServiceError`` as ``start()`` does.
    public func run() async throws {
        try await start()
        // It throws if the task is cancelled, which also means shutdown.
        try? await gracefulShutdown()
        await shutdown()
    }

    /// Stops listening, closes the connections of browsers, and waits for answers in progress up to
    /// ``LocalPushServiceConfiguration/gracePeriod``. Further calls have no effect.
    public func shutdown() async {
        let running = phase.withLock { phase -> RunningPushService? in
            guard case .running(let running) = phase else { return nil }
            phase = .stopped
            return running
        }
        await running?.shutdown()
    }

    private func broker() throws(LocalPushServiceError) -> PushBroker {
        try phase.withLock { phase throws(LocalPushServiceError) in
            guard case .running(let running) = phase else { throw .notRunning }
            return running.broker
        }
    }
}

/// The functions of the control address, for tests in the same process.
extension LocalPushService {
    /// The counts of events since the start or the last ``reset()``.
    public var counters: PushServiceCounters { history.counters }

    /// Returns the matching messages that are still kept, accepted and refused ones, oldest first.
    public func received(matching filter: MessageFilter = .all) -> [ReceivedMessage] {
        history.page(matching: filter).entries
    }

    /// Waits until `count` matching messages have been received since the start or the last reset. With a filter for a
    /// state of delivery, it waits until so many have got it.
    ///
    /// - Parameter timeout: The longest wait: a minute by default, so that tests pass on slow machines too.
    /// - Returns: All matching messages that are kept, possibly more than `count`.
    /// - Throws: ``LocalPushServiceError/timedOut(waitingFor:received:seconds:)``, also if the task is cancelled.
    @discardableResult
    public func wait(
        for count: Int, matching filter: MessageFilter = .all, timeout: Duration = .seconds(60)
    ) async throws(LocalPushServiceError) -> [ReceivedMessage] {
        guard await history.wait(for: count, matching: filter, timeout: timeout) else {
            throw .timedOut(
                waitingFor: count, received: history.page(matching: filter, limit: 0).total,
                seconds: timeout / .seconds(1))
        }
        return received(matching: filter)
    }

    /// Deletes the received messages and sets the counters to zero. Scripts and subscriptions stay.
    public func reset() { history.reset() }

    /// Appends answers for the next valid requests to an endpoint, or to any endpoint if the token is `nil`.
    ///
    /// Steps are used in order. Those for the endpoint come before those for all endpoints. After the last step the
    /// answer is 201 again.
    public func script(token: String?, answers: [ScriptedPushAnswer]) {
        scripts.append(answers, for: token)
    }

    /// Deletes all scripted answers.
    public func clearScript() { scripts.removeAllAnswers() }

    /// Makes a subscription without a browser, whose messages are acknowledged at once.
    ///
    /// - Parameters:
    ///   - service: The service whose rules requests have to keep, and whose form the endpoint has.
    ///   - applicationServerKey: The key in base64url that requests must be signed with; `nil` for no restriction.
    ///   - maximumBody: The largest body in bytes; 4,096, or less for a subscription behind a bridge.
    /// - Throws: ``LocalPushServiceError`` if the service does not run, or no keys could be made.
    public func subscribe(
        _ service: PushServiceProfile, applicationServerKey: String? = nil, maximumBody: Int = 4096
    ) throws(LocalPushServiceError) -> (subscription: Subscription, keys: SubscriptionKeys) {
        let broker = try broker()
        let keys: SubscriptionKeys
        do { keys = try SubscriptionKeys.generate() } catch { throw LocalPushServiceError(error) }
        let subscription = broker.subscribe(
            service, browserID: nil, channel: nil, key: applicationServerKey, maximumBody: maximumBody)
        return (subscription, keys)
    }

    /// The subscriptions that have not ended, of browsers and without one, sorted by their tokens; empty if the service
    /// does not run.
    public var subscriptions: [Subscription] {
        guard let broker = try? broker() else { return [] }
        return broker.records.filter { !$0.isEnded }.map { broker.subscription($0) }
    }

    /// Ends a subscription. Its endpoint is 410 from then on.
    ///
    /// - Returns: `false` if there is none with this token, or it has ended before.
    @discardableResult
    public func endSubscription(token: String) -> Bool { (try? broker())?.end(token) ?? false }

    /// Sets the lowest urgency of the messages that all browsers receive, as devices do that save power. Others wait
    /// until it is set back.
    public func setMinimumUrgency(_ urgency: Urgency) {
        _ = (try? broker())?.setMinimumUrgency(urgency, of: nil)
    }
}
