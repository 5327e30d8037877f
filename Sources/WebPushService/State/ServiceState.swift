/// The browsers, subscriptions and messages of the service.
///
/// It is a value without I/O: requests and events of connections go in; deliveries, outcomes and changes for the
/// journal come out. Times are in milliseconds since 1970.
struct ServiceState: Sendable {
    /// The new state of a message, for the history.
    struct Outcome: Hashable, Sendable {
        let messageID: String
        let delivery: MessageDelivery
        var code: Int?
    }

    /// A message for a browser, with the names by which the browser knows the subscription.
    struct Delivery: Hashable, Sendable {
        let message: PushMessage
        let record: SubscriptionRecord
    }

    private(set) var browsers: [String: Browser] = [:]
    private(set) var records: [String: SubscriptionRecord] = [:]
    /// The tokens of each browser's subscriptions that have not ended.
    private var tokens: [String: Set<String>] = [:]
    private var queues: [String: MessageQueue] = [:]
    /// The browser of each message in a queue.
    private var browserOfMessage: [String: String] = [:]
    /// The number of the connection of each browser that is connected.
    private var connections: [String: Int] = [:]
    /// The changes since the last call of ``takeChanges()``.
    private var changes: [StateChange] = []

    /// Returns the changes to write to the journal, and forgets them.
    mutating func takeChanges() -> [StateChange] {
        defer { changes = [] }
        return changes
    }
}

/// The browsers.
extension ServiceState {
    /// Adds a browser, unless it is known.
    mutating func add(_ browser: Browser) {
        guard browsers[browser.id] == nil else { return }
        browsers[browser.id] = browser
        changes.append(.browser(browser))
    }

    /// Changes the lowest urgency of the messages that a browser receives, or that all browsers do if the id is `nil`.
    ///
    /// - Returns: The browsers that changed.
    mutating func setMinimumUrgency(_ urgency: Urgency, of id: String?) -> [String] {
        let changed = browsers.keys.filter { id == nil || $0 == id }
        for id in changed {
            browsers[id]?.minimumUrgency = urgency
            if let browser = browsers[id] { changes.append(.browser(browser)) }
        }
        return changed
    }

    /// Notes the connection of a browser, in place of an earlier one.
    mutating func connect(_ id: String, connection: Int) -> [Outcome] {
        var outcomes: [Outcome] = []
        if let former = connections[id] { outcomes = disconnect(id, connection: former) }
        connections[id] = connection
        return outcomes
    }

    /// Notes the end of a connection, unless the browser has a newer one.
    mutating func disconnect(_ id: String, connection: Int) -> [Outcome] {
        guard connections[id] == connection else { return [] }
        connections[id] = nil
        guard let (dropped, waiting) = queues[id]?.disconnect() else { return [] }
        return settle(dropped, .dropped) + waiting.map { Outcome(messageID: $0.id, delivery: .waiting) }
    }

    func isConnected(_ id: String) -> Bool { connections[id] != nil }
}

/// The subscriptions.
extension ServiceState {
    /// Returns the state of an endpoint's subscription.
    func record(_ token: String) -> SubscriptionRecord? { records[token] }

    /// Adds a subscription, or returns the one that the browser's channel has with the same key.
    ///
    /// - Returns: The subscription, and the outcomes of messages to a former one that it replaces.
    mutating func subscribe(_ new: SubscriptionRecord) -> (record: SubscriptionRecord, outcomes: [Outcome]) {
        let present = new.browserID.flatMap { subscriptions(of: $0).first { $0.channel == new.channel } }
        if let present, present.applicationServerKey == new.applicationServerKey { return (present, []) }
        var outcomes: [Outcome] = []
        if let present { outcomes = end(present.token) }
        insert(new)
        changes.append(.subscription(new))
        return (new, outcomes)
    }

    private mutating func insert(_ record: SubscriptionRecord) {
        records[record.token] = record
        if let browserID = record.browserID, !record.isEnded { tokens[browserID, default: []].insert(record.token) }
    }

    /// Returns the subscriptions of a browser that have not ended.
    private func subscriptions(of browserID: String) -> [SubscriptionRecord] {
        (tokens[browserID] ?? []).compactMap { records[$0] }
    }

    /// Ends a subscription. Its endpoint is answered as one that has ended from now on.
    mutating func end(_ token: String) -> [Outcome] {
        guard records[token]?.isEnded == false else { return [] }
        records[token]?.isEnded = true
        changes.append(.ended(token: token))
        guard let browserID = records[token]?.browserID else { return [] }
        tokens[browserID]?.remove(token)
        let left = queues[browserID]?.remove { $0.token == token } ?? []
        return settle(left, .dropped)
    }

    /// Ends the subscriptions of a browser that satisfy a condition.
    mutating func end(of browserID: String, where isEnded: (SubscriptionRecord) -> Bool) -> [Outcome] {
        var outcomes: [Outcome] = []
        for record in subscriptions(of: browserID) where isEnded(record) { outcomes += end(record.token) }
        return outcomes
    }
}

/// The messages.
extension ServiceState {
    /// Takes in a message.
    ///
    /// - Returns: The outcomes, and the browser whose connection has something to send; `nil` if there is none.
    mutating func accept(_ message: PushMessage) -> (outcomes: [Outcome], browserID: String?) {
        guard let record = records[message.token], !record.isEnded else {
            return ([Outcome(messageID: message.id, delivery: .dropped)], nil)
        }
        guard let browserID = record.browserID else {
            return ([Outcome(messageID: message.id, delivery: .acknowledged)], nil)
        }
        let isReached = isConnected(browserID) && message.urgency >= minimumUrgency(browserID)
        guard isReached || message.timeToLive > 0 else {
            return ([Outcome(messageID: message.id, delivery: .dropped)], nil)
        }
        let left = queues[browserID, default: MessageQueue()].append(message)
        browserOfMessage[message.id] = browserID
        changes.append(.message(message))
        var outcomes: [Outcome] = []
        for (message, delivery) in left { outcomes += settle([message], delivery) }
        return (outcomes, isReached ? browserID : nil)
    }

    /// Returns the messages to send over a connection, oldest first, and the outcomes of those that have expired.
    mutating func take(
        _ browserID: String, connection: Int, now: Int64
    ) -> (deliveries: [Delivery], outcomes: [Outcome]) {
        guard connections[browserID] == connection, queues[browserID] != nil else { return ([], []) }
        let old = queues[browserID]?.expire(now: now) ?? []
        let expired = settle(old, .expired)
        let minimumUrgency = minimumUrgency(browserID)
        let next = queues[browserID]?.take(minimumUrgency: minimumUrgency) ?? []
        let deliveries = next.compactMap { message in
            records[message.token].map { Delivery(message: message, record: $0) }
        }
        return (deliveries, expired + next.map { Outcome(messageID: $0.id, delivery: .sent) })
    }

    /// Settles messages that a browser has acknowledged. Ids that are not in its queue are ignored.
    mutating func acknowledge(
        _ ids: [String], by browserID: String, _ delivery: MessageDelivery = .acknowledged, code: Int? = nil
    ) -> [Outcome] {
        var settled: [PushMessage] = []
        for id in ids {
            if let message = queues[browserID]?.remove(id) { settled.append(message) }
        }
        return settle(settled, delivery).map { Outcome(messageID: $0.messageID, delivery: delivery, code: code) }
    }

    /// Removes a message that its sender has deleted.
    ///
    /// - Returns: The outcome; `nil` if the message is in no queue.
    mutating func cancel(_ id: String) -> Outcome? {
        guard let browserID = browserOfMessage[id], let message = queues[browserID]?.remove(id) else { return nil }
        return settle([message], .canceled).first
    }

    /// Removes the messages whose lifetime has ended.
    mutating func expire(now: Int64) -> [Outcome] {
        var outcomes: [Outcome] = []
        for browserID in Array(queues.keys) {
            let expired = queues[browserID]?.expire(now: now) ?? []
            outcomes += settle(expired, .expired)
        }
        return outcomes
    }

    private func minimumUrgency(_ browserID: String) -> Urgency { browsers[browserID]?.minimumUrgency ?? .veryLow }

    /// Forgets messages that are no longer in a queue.
    private mutating func settle(_ messages: [PushMessage], _ delivery: MessageDelivery) -> [Outcome] {
        for message in messages {
            browserOfMessage[message.id] = nil
            changes.append(.settled(id: message.id))
        }
        return messages.map { Outcome(messageID: $0.id, delivery: delivery) }
    }
}

/// The journal.
extension ServiceState {
    /// Applies a change that an earlier run has written.
    mutating func apply(_ change: StateChange) {
        switch change {
        case .browser(let browser): browsers[browser.id] = browser
        case .subscription(let record): insert(record)
        case .ended(let token): _ = end(token)
        case .message(let message): _ = accept(message)
        case .settled(let id):
            if let browserID = browserOfMessage[id] { _ = acknowledge([id], by: browserID) }
        }
        changes = []
    }

    /// The changes that make this state of an empty one.
    var snapshot: [StateChange] {
        var changes = browsers.values.sorted { $0.id < $1.id }.map(StateChange.browser)
        changes += records.values.sorted { $0.token < $1.token }.map(StateChange.subscription)
        for (_, queue) in queues.sorted(by: { $0.key < $1.key }) {
            changes += queue.messages.map(StateChange.message)
        }
        return changes
    }
}
