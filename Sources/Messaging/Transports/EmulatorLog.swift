internal import DequeModule
import Synchronization

/// What an emulator keeps to be looked at: numbered, newest last, bounded, gone with the process, and waited for.
final class EmulatorLog<Element: Sendable>: Sendable {
    private struct State {
        var entries: Deque<(element: Element, bytes: Int)> = []
        var bytes = 0
        var nextSequence = 1
    }

    private let state = Mutex(State())
    private let arrival = Bell()
    private let capacity: Int
    private let maximumBytes: Int

    /// - Parameters:
    ///   - capacity: how many are kept; older ones are dropped.
    ///   - maximumBytes: how much memory they may take together, by what ``append(bytes:_:)`` is told; likewise.
    init(capacity: Int, maximumBytes: Int) {
        self.capacity = capacity
        self.maximumBytes = maximumBytes
    }

    /// - Parameters:
    ///   - bytes: how much memory the element takes.
    ///   - make: makes the element with its number, which is never used again.
    func append(bytes: Int, _ make: (_ sequence: Int) -> Element) {
        state.withLock { state in
            state.entries.append((make(state.nextSequence), bytes))
            state.bytes += bytes
            state.nextSequence += 1
            while state.entries.count > capacity || state.bytes > maximumBytes, let oldest = state.entries.popFirst() {
                state.bytes -= oldest.bytes
            }
        }
        arrival.ring()
    }

    func elements(where matches: (Element) -> Bool) -> [Element] {
        state.withLock { $0.entries.lazy.map(\.element).filter(matches) }
    }

    /// What matches, as soon as there are `count` of it, or the bound has passed.
    func elements(
        where matches: @escaping @Sendable (Element) -> Bool, waitingFor count: Int, atMost bound: Duration,
        clock: any Clock<Duration>
    ) async -> [Element] {
        await arrival.wait(atMost: bound, clock: clock) { self.elements(where: matches).count >= count }
        return elements(where: matches)
    }

    func reset() {
        state.withLock { state in
            state.entries.removeAll()
            state.bytes = 0
        }
    }
}
