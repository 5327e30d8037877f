import Synchronization

/// A caller that waits for a result, and may leave before it comes.
package final class AwaitingCaller: Sendable {
    private let hasLeft = Atomic(false)

    /// Creates a caller that waits.
    package init() {}

    /// `true` until the caller leaves.
    package var isAwaiting: Bool { !hasLeft.load(ordering: .relaxed) }

    /// Notes that the caller waits no longer.
    package func leave() { hasLeft.store(true, ordering: .relaxed) }
}
