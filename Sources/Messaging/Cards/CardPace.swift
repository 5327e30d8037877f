import DocumentStore

/// The distance between the updates of each card, a value without I/O.
struct CardPace: Sendable {
    private let capacity: Int
    /// The times of the last pushes, by address.
    private var pushed: [RegistrationToken: Timestamp] = [:]

    /// - Parameter capacity: the number of addresses that are remembered. When there are more, all are forgotten, and
    ///   some updates follow others too soon.
    init(capacity: Int = 50_000) { self.capacity = capacity }

    /// Returns the time for which an update has to wait, because another one was pushed to the same address within the
    /// interval; `nil` if it may go now. It then counts as pushed.
    mutating func wait(of address: RegistrationToken, atLeast interval: Duration, at time: Timestamp) -> Duration? {
        if let last = pushed[address] {
            // A time in the future shows that the clock was set back.
            let passed = time - last
            if passed >= .zero, passed < interval { return interval - passed }
        }
        note(address, at: time)
        return nil
    }

    /// Notes a push that waits for nothing.
    mutating func note(_ address: RegistrationToken, at time: Timestamp) {
        if pushed.count >= capacity, pushed[address] == nil { pushed.removeAll(keepingCapacity: true) }
        pushed[address] = time
    }

    /// Forgets an address to which nothing more is pushed.
    mutating func forget(_ address: RegistrationToken) { pushed[address] = nil }
}
