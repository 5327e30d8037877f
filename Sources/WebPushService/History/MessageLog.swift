import Cryptography
import DequeModule
import SimulatorTools

/// A log of received requests, which keeps the newest ones complete.
///
/// It is a value without I/O, shared through ``MessageHistory``.
struct MessageLog: ReceivedLog {
    /// Limits of the requests that are kept. Older requests are dropped but stay counted.
    struct Limits: Sendable {
        /// The number of requests.
        var messages: Int
        /// The sum of the bodies, in bytes.
        var bodyBytes: Int
    }

    private let limits: Limits
    private var messages = Deque<ReceivedMessage>()
    private var bodyBytes = 0
    /// The numbers of the accepted messages that are kept.
    private var numbers: [String: Int] = [:]
    private var acceptedBodies = DistinctCounter()
    private var acceptedTokens = DistinctCounter()
    private var vapidTokens = DistinctCounter()
    private(set) var counters = PushServiceCounters()

    init(limits: Limits) {
        self.limits = limits
    }

    /// Stores and counts a request, and returns it with its number.
    ///
    /// - Parameter authorization: The request's `authorization`. It is counted, not kept.
    mutating func append(_ message: ReceivedMessage, authorization: String? = nil) -> ReceivedMessage {
        var message = message
        counters.requests += 1
        message.number = counters.requests
        count(message)
        if let authorization, vapidTokens.insert(authorization) { counters.distinctVAPIDTokens += 1 }
        messages.append(message)
        if let id = message.messageID { numbers[id] = message.number }
        bodyBytes += message.body.count
        forgetOldest()
        return message
    }

    private mutating func count(_ message: ReceivedMessage) {
        if let status = message.status {
            counters.requestsByStatus[status, default: 0] += 1
        } else {
            counters.requestsUnanswered += 1
        }
        if let reason = message.reason { counters.requestsByReason[reason, default: 0] += 1 }
        if let delivery = message.delivery { counters.messagesByDelivery[delivery, default: 0] += 1 }
        guard message.isAccepted, let token = message.token else { return }
        counters.accepted += 1
        if !message.body.isEmpty, !acceptedBodies.insert(token + Base64URL.encode(message.body.prefix(102))) {
            counters.duplicates += 1
        }
        if acceptedTokens.insert(token) { counters.distinctTokens += 1 }
    }

    private mutating func forgetOldest() {
        while messages.count > limits.messages || bodyBytes > limits.bodyBytes, let oldest = messages.popFirst() {
            bodyBytes -= oldest.body.count
            counters.forgotten += 1
            if let id = oldest.messageID { numbers[id] = nil }
        }
    }

    /// Changes the state of an accepted message.
    ///
    /// - Returns: The message before and after the change; `nil` if it is no longer kept.
    mutating func update(
        _ messageID: String, to delivery: MessageDelivery, code: Int?
    ) -> (before: ReceivedMessage, after: ReceivedMessage)? {
        guard let index = index(of: messageID) else { return nil }
        let before = messages[index]
        messages[index].delivery = delivery
        messages[index].deliveryCode = code
        if let state = before.delivery { counters.messagesByDelivery[state, default: 0] -= 1 }
        counters.messagesByDelivery[delivery, default: 0] += 1
        return (before, messages[index])
    }

    /// Returns an accepted message; `nil` if it is no longer kept.
    func message(_ messageID: String) -> ReceivedMessage? { index(of: messageID).map { messages[$0] } }

    private func index(of messageID: String) -> Int? {
        guard let number = numbers[messageID], let first = messages.first?.number else { return nil }
        return messages.startIndex + number - first
    }

    /// Changes the counters of connections.
    mutating func count(_ change: (inout PushServiceCounters) -> Void) {
        change(&counters)
    }

    /// Deletes all requests and sets all counters to zero, except those of what is open.
    mutating func reset() {
        let (connectionsOpen, browsersConnected) = (counters.connectionsOpen, counters.browsersConnected)
        self = MessageLog(limits: limits)
        counters.connectionsOpen = connectionsOpen
        counters.browsersConnected = browsersConnected
    }

    /// Returns a page of the matching messages, oldest first, and the number of all that match.
    func page(matching filter: MessageFilter, offset: Int, limit: Int) -> ReceivedPage<ReceivedMessage> {
        guard filter != .all else {
            return ReceivedPage(total: counters.requests, entries: Array(messages.dropFirst(offset).prefix(limit)))
        }
        let matching = messages.filter(filter.matches)
        return ReceivedPage(total: matching.count, entries: Array(matching.dropFirst(offset).prefix(limit)))
    }

    /// Returns the number of received messages. Without a filter it includes those that are no longer kept.
    func count(matching filter: MessageFilter) -> Int {
        filter == .all ? counters.requests : messages.count(where: filter.matches)
    }

    /// Returns `true` if the message has every value that the filter sets.
    static func matches(_ message: ReceivedMessage, _ filter: MessageFilter) -> Bool { filter.matches(message) }
}
