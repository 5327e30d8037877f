import Signals
import Synchronization

/// The places of searches that run at once. Each reads thousands of documents, and must leave threads and connections
/// of the store to triggers. Further searches wait.
final class SearchSlots: Sendable {
    /// The searches that run at once in a gateway.
    static let maximum = 2

    private let running = Mutex(0)
    private let freed = Signal()

    /// The searches that wait.
    var waiting: Int { freed.waiterCount }

    /// Runs a search as soon as there is a place.
    func run<Output>(_ search: () async throws -> Output) async throws -> Output {
        while !tryEnter() {
            try Task.checkCancellation()
            await freed.wait { self.running.withLock { $0 < Self.maximum } }
        }
        defer { leave() }
        return try await search()
    }

    private func tryEnter() -> Bool {
        running.withLock { running in
            guard running < Self.maximum else { return false }
            running += 1
            return true
        }
    }

    private func leave() {
        running.withLock { $0 -= 1 }
        freed.notify()
    }
}
