import DocumentStore
import Synchronization

/// The agents none of whose devices shows cards, so that not each of their reports reads the devices.
final class UnshownAgents: Sendable {
    private struct State {
        var ends: [DocumentPath: Timestamp] = [:]
        var changes = 0
    }

    /// The time for which an agent is remembered. A registration at another gateway counts only after it.
    static let memory = Duration.seconds(10)

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The number of agents that are remembered. When there are more, all are forgotten.
    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// The number of registrations so far of devices that show cards.
    var changes: Int { state.withLock(\.changes) }

    /// Returns `true` if no device of an agent showed cards a moment ago.
    func contains(_ agent: DocumentPath, at time: Timestamp) -> Bool {
        guard let end = state.withLock({ $0.ends[agent] }) else { return false }
        // A time further ahead comes from a clock that was set back.
        return end > time && end - time <= Self.memory
    }

    /// Remembers an agent, unless a device has registered since its devices were read.
    ///
    /// - Parameter changes: The number of registrations before the devices were read.
    func insert(_ agent: DocumentPath, at time: Timestamp, since changes: Int) {
        state.withLock { state in
            guard state.changes == changes else { return }
            if state.ends.count >= capacity, state.ends[agent] == nil { state.ends = [:] }
            state.ends[agent] = time.adding(Self.memory)
        }
    }

    /// Forgets an agent with a new device that shows cards.
    func remove(_ agent: DocumentPath) {
        state.withLock { state in
            state.changes += 1
            state.ends[agent] = nil
        }
    }
}
