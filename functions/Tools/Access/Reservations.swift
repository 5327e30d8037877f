import DocumentStore
import Signals
import Synchronization

/// Reserved places in collections, for documents that are not committed yet. Stored documents plus reserved places
/// are the size that a collection will have.
final class Places: Sendable {
    private let counts = Mutex<[CollectionPath: Int]>([:])
    private let freed = Signal()

    func taken(in collection: CollectionPath) -> Int { counts.withLock { $0[collection, default: 0] } }

    func take(_ collections: [CollectionPath]) {
        counts.withLock { counts in
            for collection in collections { counts[collection, default: 0] += 1 }
        }
    }

    /// Frees places after their documents are committed, or will not be.
    func free(_ collections: [CollectionPath]) {
        counts.withLock { counts in
            for collection in collections {
                let left = counts[collection, default: 0] - 1
                counts[collection] = left > 0 ? left : nil
            }
        }
        freed.notify()
    }

    /// Waits until no place is reserved in the collections, at most for the given time.
    func wait(untilFreeIn collections: [CollectionPath], atMost bound: Duration, clock: any Clock<Duration>) async {
        await freed.wait(atMost: bound, clock: clock) { collections.allSatisfy { self.taken(in: $0) == 0 } }
    }
}

/// A fixed amount of a scarce resource, such as memory or connections, shared by all its users.
final class Budget: Sendable {
    private let left: Mutex<Int>

    init(_ amount: Int) { left = Mutex(amount) }

    /// Runs the body while the amount is reserved. Returns `nil` without running it if less than that is left.
    func reserving<Result>(_ amount: Int, _ body: () async throws -> Result) async rethrows -> Result? {
        let isGranted = left.withLock { left in
            guard left >= amount else { return false }
            left -= amount
            return true
        }
        guard isGranted else { return nil }
        defer { left.withLock { $0 += amount } }
        return try await body()
    }
}
