import Synchronization

/// A count of calls.
package final class Tally: Sendable {
    private let value = Atomic(0)

    package init() {}

    package var count: Int { value.load(ordering: .relaxed) }

    package func add() { value.add(1, ordering: .relaxed) }
}
