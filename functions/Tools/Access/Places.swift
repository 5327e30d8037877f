internal import DocumentStore
internal import Messaging
internal import Synchronization

/// The places in collections that are taken, for documents that are not committed yet: with the documents that are there,
/// they are how many there will be.
final class Places: Sendable {
    private let counts = Mutex<[CollectionPath: Int]>([:])
    private let freed = Bell()

    func taken(in collection: CollectionPath) -> Int { counts.withLock { $0[collection, default: 0] } }

    func take(_ collections: [CollectionPath]) {
        counts.withLock { counts in
            for collection in collections { counts[collection, default: 0] += 1 }
        }
    }

    /// Gives places back, when the documents are committed or will not be.
    func free(_ collections: [CollectionPath]) {
        counts.withLock { counts in
            for collection in collections {
                let left = counts[collection, default: 0] - 1
                counts[collection] = left > 0 ? left : nil
            }
        }
        freed.ring()
    }

    /// Waits until none is taken in the collections, or for the time given.
    func wait(untilFreeIn collections: [CollectionPath], atMost bound: Duration, clock: any Clock<Duration>) async {
        await freed.wait(atMost: bound, clock: clock) { collections.allSatisfy { self.taken(in: $0) == 0 } }
    }
}
