/// The messages for one browser, in the order of their acceptance, until the browser has acknowledged them.
struct MessageQueue: Sendable {
    /// The largest number of messages. A new one then replaces the oldest.
    static let limit = 1_000
    /// The time that a message without a lifetime has for its way over an open connection, in milliseconds.
    static let graceForNone: Int64 = 30_000

    private(set) var messages: [PushMessage] = []
    /// The ids of messages that were sent over the present connection.
    private var sent: Set<String> = []

    /// Appends a message.
    ///
    /// - Returns: The messages that are left out for it, and the reason.
    mutating func append(_ message: PushMessage) -> [(PushMessage, MessageDelivery)] {
        var left: [(PushMessage, MessageDelivery)] = []
        if message.topic != nil {
            let sent = sent
            let older = remove { $0.topic == message.topic && $0.token == message.token && !sent.contains($0.id) }
            for message in older { left.append((message, .replaced)) }
        }
        if messages.count >= Self.limit { left.append((messages.removeFirst(), .dropped)) }
        messages.append(message)
        return left
    }

    /// Returns the messages that can be sent now, and marks them as sent.
    mutating func take(minimumUrgency: Urgency) -> [PushMessage] {
        let next = messages.filter { !sent.contains($0.id) && $0.urgency >= minimumUrgency }
        sent.formUnion(next.map(\.id))
        return next
    }

    /// Removes a message; `nil` if it is not in the queue.
    mutating func remove(_ id: String) -> PushMessage? {
        guard let index = messages.firstIndex(where: { $0.id == id }) else { return nil }
        sent.remove(id)
        return messages.remove(at: index)
    }

    /// Removes the messages that satisfy a condition.
    mutating func remove(where isRemoved: (PushMessage) -> Bool) -> [PushMessage] {
        let removed = messages.filter(isRemoved)
        guard !removed.isEmpty else { return [] }
        messages.removeAll(where: isRemoved)
        sent.subtract(removed.map(\.id))
        return removed
    }

    /// Removes the messages whose lifetime has ended.
    mutating func expire(now: Int64) -> [PushMessage] {
        remove { now >= $0.expiresAt + ($0.timeToLive == 0 ? Self.graceForNone : 0) }
    }

    /// Lets all messages wait for the next connection.
    ///
    /// - Returns: The messages without a lifetime, which are removed, and the others that had been sent.
    mutating func disconnect() -> (dropped: [PushMessage], waiting: [PushMessage]) {
        let dropped = remove { $0.timeToLive == 0 }
        let waiting = messages.filter { sent.contains($0.id) }
        sent = []
        return (dropped, waiting)
    }
}
