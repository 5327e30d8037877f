import Logging
import SimulatorTools
import Synchronization

/// The state that all connections share, with its journal and the connections of browsers.
///
/// A connection of a browser is woken when it has something to send, and takes it by itself. So a slow browser never
/// holds up a request.
final class PushBroker: Sendable {
    private struct Contents {
        var endpoints: EndpointForm
        var state: ServiceState
        let journal: Journal?
        /// The functions that wake the connections of browsers, with the connections' numbers.
        var wakers: [String: (connection: Int, wake: @Sendable () -> Void)] = [:]
        var lastConnection = 0
    }

    private let history: MessageHistory
    private let contents: Mutex<Contents>
    /// Returns the current time in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    /// Returns a new, unpredictable text in base64url.
    private let makeToken: @Sendable () -> String
    private let logger: Logger

    /// Creates a broker.
    ///
    /// - Parameters:
    ///   - endpoints: The form of endpoints.
    ///   - history: The history to report outcomes to.
    ///   - directory: The folder of the journal; `nil` for none.
    ///   - now: Returns the current time in milliseconds since 1970.
    ///   - makeToken: Returns a new, unpredictable text in base64url.
    ///   - logger: The log for errors of the journal.
    init(
        endpoints: EndpointForm, history: MessageHistory, directory: SimulatorDirectory?,
        now: @escaping @Sendable () -> Int64, makeToken: @escaping @Sendable () -> String, logger: Logger
    ) throws(SimulatorSetupError) {
        var state = ServiceState()
        let journal: Journal? = if let directory { try Journal(in: directory, state: &state) } else { nil }
        self.history = history
        self.contents = Mutex(Contents(endpoints: endpoints, state: state, journal: journal))
        self.now = now
        self.makeToken = makeToken
        self.logger = logger
    }

    /// Changes the state, writes the changes to the journal, and reports the outcomes to the history.
    private func change<Value: Sendable>(
        _ body: (inout ServiceState) -> (Value, [ServiceState.Outcome])
    ) -> Value {
        let (result, outcomes, cause) = contents.withLock { contents in
            let (result, outcomes) = body(&contents.state)
            let changes = contents.state.takeChanges()
            return (result, outcomes, contents.journal?.append(changes))
        }
        if let cause { logger.error("failed to write the journal", metadata: ["cause": "\(cause)"]) }
        for outcome in outcomes {
            history.update(outcome.messageID, to: outcome.delivery, code: outcome.code)
        }
        return result
    }
}

/// The subscriptions.
extension PushBroker {
    func lookUp(_ token: String) -> SubscriptionLookup {
        guard let record = contents.withLock({ $0.state.record(token) }) else { return .unknown }
        let subscription = subscription(record)
        return record.isEnded ? .ended(subscription) : .active(subscription)
    }

    /// All subscriptions, those that have ended included, sorted by their tokens.
    var records: [SubscriptionRecord] {
        contents.withLock { Array($0.state.records.values) }.sorted { $0.token < $1.token }
    }

    /// Adds a subscription, or returns the one that the browser's channel has with the same key.
    ///
    /// - Parameters:
    ///   - service: The service that the endpoint belongs to.
    ///   - browserID: The browser; `nil` for a subscription whose messages are acknowledged at once.
    ///   - channel: The names by which the browser knows the subscription.
    ///   - key: The application server key in base64url; `nil` for no restriction.
    ///   - maximumBody: The largest body in bytes.
    func subscribe(
        _ service: PushServiceProfile, browserID: String?, channel: PageChannel?, key: String?,
        maximumBody: Int = PushRequest.largestBody
    ) -> Subscription {
        let new = SubscriptionRecord(
            token: makeToken(), service: service, browserID: browserID, channel: channel, applicationServerKey: key,
            maximumBody: maximumBody)
        let record = change { state -> (SubscriptionRecord, [ServiceState.Outcome]) in
            let (record, outcomes) = state.subscribe(new)
            return (record, outcomes)
        }
        return subscription(record)
    }

    /// Returns a subscription with its endpoint.
    func subscription(_ record: SubscriptionRecord) -> Subscription {
        contents.withLock(\.endpoints).subscription(record)
    }

    /// Sets the origin of the service's own address, which is known after it has begun to listen.
    func setOrigin(_ origin: String) { contents.withLock { $0.endpoints.origin = origin } }

    /// Ends a subscription.
    ///
    /// - Returns: `false` if there is none with this token, or it has ended before.
    @discardableResult
    func end(_ token: String) -> Bool {
        change { state in
            let isActive = state.record(token)?.isEnded == false
            return (isActive, state.end(token))
        }
    }

    /// Ends the subscriptions of a browser that satisfy a condition.
    func end(of browserID: String, where isEnded: (SubscriptionRecord) -> Bool) {
        change { state in ((), state.end(of: browserID, where: isEnded)) }
    }
}

/// The messages.
extension PushBroker {
    /// Takes in a message, and wakes its browser.
    func accept(_ message: PushMessage) {
        let browserID = change { state -> (String?, [ServiceState.Outcome]) in
            let (outcomes, browserID) = state.accept(message)
            return (browserID, outcomes)
        }
        if let browserID { wake(browserID) }
    }

    /// Removes a message that its sender has deleted.
    ///
    /// - Returns: `false` if the browser has received it, or it is unknown.
    func cancel(_ messageID: String) -> Bool {
        change { state in
            let outcome = state.cancel(messageID)
            return (outcome != nil, outcome.map { [$0] } ?? [])
        }
    }

    /// Removes the messages whose lifetime has ended.
    func expire() {
        let now = now()
        change { state in ((), state.expire(now: now)) }
    }
}

/// The browsers.
extension PushBroker {
    /// All browsers, sorted by their ids, and `true` for those that are connected.
    var browsers: [(browser: Browser, isConnected: Bool)] {
        contents.withLock { contents in
            contents.state.browsers.values.sorted { $0.id < $1.id }.map { browser in
                (browser: browser, isConnected: contents.state.isConnected(browser.id))
            }
        }
    }

    func browser(_ id: String) -> Browser? { contents.withLock { $0.state.browsers[id] } }

    func add(_ browser: Browser) {
        change { state in
            state.add(browser)
            return ((), [])
        }
    }

    /// Notes the connection of a browser.
    ///
    /// - Parameter wake: Tells the connection that there are messages to take. It may be called on any thread.
    /// - Returns: The connection's number.
    func connect(_ browserID: String, wake: @escaping @Sendable () -> Void) -> Int {
        let connection = contents.withLock { contents in
            contents.lastConnection += 1
            contents.wakers[browserID] = (connection: contents.lastConnection, wake: wake)
            return contents.lastConnection
        }
        change { state in ((), state.connect(browserID, connection: connection)) }
        history.count { $0.browsersConnected += 1 }
        return connection
    }

    /// Notes the end of a connection.
    func disconnect(_ browserID: String, connection: Int) {
        contents.withLock { contents in
            if contents.wakers[browserID]?.connection == connection { contents.wakers[browserID] = nil }
        }
        change { state in ((), state.disconnect(browserID, connection: connection)) }
        history.count { $0.browsersConnected -= 1 }
    }

    /// Returns the messages to send over a connection.
    func take(_ browserID: String, connection: Int) -> [ServiceState.Delivery] {
        let now = now()
        return change { state -> ([ServiceState.Delivery], [ServiceState.Outcome]) in
            let (deliveries, outcomes) = state.take(browserID, connection: connection, now: now)
            return (deliveries, outcomes)
        }
    }

    /// Settles messages that a browser has acknowledged.
    func acknowledge(
        _ ids: [String], by browserID: String, _ delivery: MessageDelivery = .acknowledged, code: Int? = nil
    ) {
        guard !ids.isEmpty else { return }
        change { state in ((), state.acknowledge(ids, by: browserID, delivery, code: code)) }
    }

    /// Notes that a browser's service worker failed with a message. Firefox acknowledges the message before that.
    func reject(_ id: String, by browserID: String, code: Int?) {
        acknowledge([id], by: browserID, .failed, code: code)
        guard let message = history.message(id), message.delivery == .acknowledged, let token = message.token,
            contents.withLock({ $0.state.record(token)?.browserID }) == browserID
        else { return }
        history.update(id, to: .failed, code: code)
    }

    /// Changes the lowest urgency of the messages that a browser receives, or that all browsers do if the id is `nil`.
    ///
    /// - Returns: `false` if no browser has this id.
    func setMinimumUrgency(_ urgency: Urgency, of id: String?) -> Bool {
        let changed = change { state -> ([String], [ServiceState.Outcome]) in
            (state.setMinimumUrgency(urgency, of: id), [])
        }
        for id in changed { wake(id) }
        return id == nil || !changed.isEmpty
    }

    private func wake(_ browserID: String) {
        let wake = contents.withLock { $0.wakers[browserID]?.wake }
        wake?()
    }
}
