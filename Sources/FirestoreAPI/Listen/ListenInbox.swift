import DocumentStore
import FirestoreProtos
import Signals
import Synchronization

/// The events that a Listen stream has not handled yet.
final class ListenInbox: Sendable {
    /// Events to handle together.
    struct Events: Sendable {
        var requests: [Google_Firestore_V1_ListenRequest] = []
        var isBeatDue = false
    }

    private struct State {
        var events = Events()
        var hasChanges = false
        var isComplete = false
        var listener: ChangeListener?

        var isReady: Bool { !events.requests.isEmpty || events.isBeatDue || hasChanges || isComplete }
    }

    /// The number of requests that wait here; others wait in the transport.
    private static let mostRequests = 16

    private let state = Mutex(State())
    private let changed = Signal()

    /// Waits for events and takes them.
    ///
    /// - Returns: `nil` after the last request of the client, and in a cancelled task.
    func next() async -> Events? {
        await changed.wait { self.state.withLock(\.isReady) }
        let events: Events? = state.withLock { state in
            if Task.isCancelled || (state.isComplete && state.events.requests.isEmpty) { return nil }
            defer { state.events = Events() }
            return state.events
        }
        changed.notify()
        return events
    }

    /// Notes that the stream has taken all changes. Until then, further changes are no new event.
    func didCatchUp() { change { $0.hasChanges = false } }

    /// Begins to wait for the changes of a database.
    func follow(_ listener: ChangeListener) { change { $0.listener = listener } }

    /// Adds the client's requests.
    func fill<Requests: AsyncSequence>(
        from requests: Requests
    ) async throws where Requests.Element == Google_Firestore_V1_ListenRequest {
        for try await request in requests {
            await changed.wait { self.state.withLock { $0.events.requests.count < Self.mostRequests } }
            change { $0.events.requests.append(request) }
        }
        change { $0.isComplete = true }
    }

    /// Announces changes until the store is closed.
    func announceChanges() async throws {
        await changed.wait { self.state.withLock { $0.listener != nil } }
        guard let listener = state.withLock(\.listener) else { return }
        while !Task.isCancelled {
            try await listener.wait()
            change { $0.hasChanges = true }
            await changed.wait { self.state.withLock { !$0.hasChanges } }
        }
    }

    /// Announces regular moments to send something.
    func beat(each interval: Duration, _ clock: any Clock<Duration>) async throws {
        while true {
            try await clock.sleep(for: interval)
            change { $0.events.isBeatDue = true }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        changed.notify()
    }
}
