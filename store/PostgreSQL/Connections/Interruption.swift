import DocumentStore
import Synchronization

/// A request to end what is being read on a connection.
final class Interruption: Sendable {
    private let isSet = Atomic(false)

    func set() { isSet.store(true, ordering: .relaxed) }

    func clear() { isSet.store(false, ordering: .relaxed) }

    /// Throws `CANCELLED` after a request.
    func check() throws(StoreError) {
        if isSet.load(ordering: .relaxed) { throw StoreError(.cancelled, "the operation was interrupted") }
    }
}
