import DocumentStore
import Signals
import Synchronization

/// A check that the store writes: it commits a small document, at most once in five seconds, no matter how often it is
/// asked.
final class StoreProbe: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        /// The beginning of the last write.
        var begin: Instant?
        var isWriting = false
        var failure: StoreError?
    }

    private let store: any DocumentStore
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Instant
    private let state = Mutex(State())
    private let written = Signal()

    private static let interval = Duration.seconds(5)
    /// The time after which a write that goes on counts as failed. Disks of small machines can take a second.
    private static let patience = Duration.seconds(2)

    init(
        _ store: any DocumentStore, clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Instant = { .now }
    ) {
        self.store = store
        self.clock = clock
        self.now = now
    }

    /// Returns the reason why the store does not write; `nil` if it does.
    func problem() async -> String? {
        if begins() { try? write() }
        await written.wait(atMost: Self.patience, clock: clock) { [self] in !state.withLock(\.isWriting) }
        return state.withLock { state in
            state.isWriting ? "the store has not finished a write for seconds" : state.failure?.message
        }
    }

    /// Returns `true` if a write is to begin now.
    private func begins() -> Bool {
        let time = now()
        return state.withLock { state in
            if state.isWriting { return false }
            if let begin = state.begin, time - begin < Self.interval { return false }
            (state.begin, state.isWriting) = (time, true)
            return true
        }
    }

    private func write() throws {
        let path = try CollectionPath("schedules").document("readiness")
        store.commit([.set(path, ["lastRunAt": .timestamp(.now)])]) { [self] result in
            state.withLock { state in
                state.isWriting = false
                if case .failure(let error) = result { state.failure = error } else { state.failure = nil }
            }
            written.notify()
        }
    }
}
