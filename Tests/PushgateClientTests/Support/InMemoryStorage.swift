import PushgateClient
import Synchronization

/// A storage in memory that counts saves, and fails if a test says so.
final class InMemoryStorage: SubscriptionStorage {
    struct Broken: Error {}

    private struct Contents {
        var state: SubscriptionState?
        var saves = 0
        var isBroken = false
    }

    private let contents = Mutex(Contents())

    var state: SubscriptionState? { contents.withLock { $0.state } }
    var saves: Int { contents.withLock { $0.saves } }

    func setBroken(_ isBroken: Bool) { contents.withLock { $0.isBroken = isBroken } }

    func load() throws -> SubscriptionState? {
        try contents.withLock {
            if $0.isBroken { throw Broken() }
            return $0.state
        }
    }

    func save(_ state: SubscriptionState) throws {
        try contents.withLock {
            if $0.isBroken { throw Broken() }
            $0.state = state
            $0.saves += 1
        }
    }
}
