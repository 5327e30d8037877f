import Synchronization

/// Numbers connections from 1, across event loops.
final class ConnectionNumbers: Sendable {
    private let last = Atomic(0)

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
