package import DocumentStore

/// The distance between the updates of each card, a value without I/O.
///
/// The key is the name under which a card's updates count together: an address of ``CardTransport``, or a card at an
/// address of a relay.
package struct CardPace<Key: Hashable & Sendable>: Sendable {
    private let capacity: Int
    /// The times of the last pushes.
    private var pushed: [Key: Timestamp] = [:]

    /// - Parameter capacity: the number of keys that are remembered. When there are more, all are forgotten, and some
    ///   updates follow others too soon.
    package init(capacity: Int = 50_000) { self.capacity = capacity }

    /// Returns the time for which an update has to wait, because another push with the same key went within the
    /// interval; `nil` if it may go now. It then counts as pushed.
    package mutating func wait(of key: Key, atLeast interval: Duration, at time: Timestamp) -> Duration? {
        if let last = pushed[key] {
            // A time in the future shows that the clock was set back.
            let passed = time - last
            if passed >= .zero, passed < interval { return interval - passed }
        }
        note(key, at: time)
        return nil
    }

    /// Notes a push that waits for nothing.
    package mutating func note(_ key: Key, at time: Timestamp) {
        if pushed.count >= capacity, pushed[key] == nil { pushed.removeAll(keepingCapacity: true) }
        pushed[key] = time
    }

    /// Forgets a key with which nothing more is pushed.
    package mutating func forget(_ key: Key) { pushed[key] = nil }
}
