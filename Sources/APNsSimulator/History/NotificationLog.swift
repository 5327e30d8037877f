import DequeModule

/// The requests received, the newest of them kept whole: a value without I/O, shared through ``NotificationHistory``.
struct NotificationLog: Sendable {
    /// How much is kept. Counting goes on beyond it.
    struct Limits: Sendable {
        /// The number of requests.
        var notifications: Int
        /// The sum of their payloads in bytes.
        var payloadBytes: Int
    }

    private let limits: Limits
    private var notifications = Deque<ReceivedNotification>()
    private var payloadBytes = 0
    private var acceptedIDs = DistinctCounter()
    private var acceptedTokens = DistinctCounter()
    private var providerTokens = DistinctCounter()
    private(set) var counters = SimulatorCounters()

    init(limits: Limits) {
        self.limits = limits
    }

    /// Keeps and counts a request, and returns it with its number.
    ///
    /// - Parameter authorization: the request's `authorization`, to be counted, not kept.
    mutating func append(_ notification: ReceivedNotification, authorization: String? = nil) -> ReceivedNotification {
        var notification = notification
        counters.requests += 1
        notification.number = counters.requests
        count(notification)
        if let authorization, providerTokens.insert(authorization) { counters.distinctProviderTokens += 1 }
        notifications.append(notification)
        payloadBytes += notification.body.count
        forgetOldest()
        return notification
    }

    private mutating func count(_ notification: ReceivedNotification) {
        counters.requestsByStatus[notification.status, default: 0] += 1
        if let reason = notification.reason { counters.requestsByReason[reason, default: 0] += 1 }
        guard notification.isAccepted, let token = notification.token else { return }
        if !acceptedIDs.insert(notification.apnsID) { counters.duplicates += 1 }
        if acceptedTokens.insert(token) { counters.distinctTokens += 1 }
    }

    private mutating func forgetOldest() {
        while notifications.count > limits.notifications || payloadBytes > limits.payloadBytes,
            let oldest = notifications.popFirst()
        {
            payloadBytes -= oldest.body.count
            counters.forgotten += 1
        }
    }

    /// Changes the counters of connections and streams.
    mutating func count(_ change: (inout SimulatorCounters) -> Void) {
        change(&counters)
    }

    /// Forgets everything but the connections that are open.
    mutating func reset() {
        let connectionsOpen = counters.connectionsOpen
        self = NotificationLog(limits: limits)
        counters.connectionsOpen = connectionsOpen
    }

    /// Some of the notifications that match, the oldest first, and how many do in all.
    func page(matching filter: NotificationFilter, offset: Int, limit: Int) -> NotificationPage {
        guard filter != .all else {
            return NotificationPage(
                total: counters.requests, notifications: Array(notifications.dropFirst(offset).prefix(limit)))
        }
        let matching = notifications.filter(filter.matches)
        return NotificationPage(total: matching.count, notifications: Array(matching.dropFirst(offset).prefix(limit)))
    }

    /// How many have been received: with no filter also those that are no longer kept.
    func count(matching filter: NotificationFilter) -> Int {
        filter == .all ? counters.requests : notifications.count(where: filter.matches)
    }
}

/// A part of the notifications that were asked for.
struct NotificationPage: Sendable {
    /// How many match in all.
    let total: Int
    let notifications: [ReceivedNotification]
}
