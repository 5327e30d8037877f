import Synchronization

/// A number of events, after which everything fails.
final class Countdown: Sendable {
    private let left: Mutex<Int?>

    /// - Parameter count: the number; `nil` for no failure.
    init(_ count: Int? = nil) { left = Mutex(count) }

    /// Counts an event. Returns `true` if the number is used up.
    func isOver() -> Bool {
        left.withLock { left in
            guard let count = left else { return false }
            if count > 0 { left = count - 1 }
            return count == 0
        }
    }

    /// `true` if everything fails.
    var hasEnded: Bool { left.withLock { $0 == 0 } }

    /// Begins again with another number.
    func start(_ count: Int) { left.withLock { $0 = count } }

    func stop() { left.withLock { $0 = nil } }
}
