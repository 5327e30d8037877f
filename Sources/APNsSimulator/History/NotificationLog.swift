import DequeModule
import SimulatorTools

/// A log of received requests, which keeps the newest ones complete.
///
/// It is a value without I/O, shared through ``NotificationHistory``.
struct NotificationLog: ReceivedLog {
    /// Limits of the requests that are kept. Older requests are dropped but stay counted.
    struct Limits: Sendable {
        /// The number of requests.
        var notifications: Int
        /// The sum of the payloads, in bytes.
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

    /// Stores and counts a request, and returns it with its number.
    ///
    /// - Parameter authorization: The request's `authorization`. It is counted, not kept.
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

    /// Deletes all requests and sets all counters to zero, except the number of open connections.
    mutating func reset() {
        let connectionsOpen = counters.connectionsOpen
        self = NotificationLog(limits: limits)
        counters.connectionsOpen = connectionsOpen
    }

    /// Returns a page of the matching notifications, oldest first, and the number of all that match.
    func page(matching filter: NotificationFilter, offset: Int, limit: Int) -> ReceivedPage<ReceivedNotification> {
        guard filter != .all else {
            return ReceivedPage(
                total: counters.requests, entries: Array(notifications.dropFirst(offset).prefix(limit)))
        }
        let matching = notifications.filter(filter.matches)
        return ReceivedPage(total: matching.count, entries: Array(matching.dropFirst(offset).prefix(limit)))
    }

    /// Returns the number of received notifications. Without a filter it includes those that are no longer kept.
    func count(matching filter: NotificationFilter) -> Int {
        filter == .all ? counters.requests : notifications.count(where: filter.matches)
    }

    /// Returns `true` if the notification has every value that the filter sets.
    static func matches(_ notification: ReceivedNotification, _ filter: NotificationFilter) -> Bool {
        filter.matches(notification)
    }
}

/// The log that all connections write to, and the waiters for notifications in it.
typealias NotificationHistory = ReceivedHistory<NotificationLog>
