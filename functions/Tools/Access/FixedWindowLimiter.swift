import Synchronization

/// Lets each key through so many times a window; windows are fixed (every full minute, say), not sliding.
///
/// Memory is bounded: counts are forgotten when their window ends, and once `capacity` keys have been seen in one
/// window, further ones share a few thousand counters, chosen by hash. A flood from ever new addresses then limits some
/// strangers together, and grows nothing.
public final class FixedWindowLimiter: Sendable {
    private struct State {
        var window: Int64 = .min
        var counts: [String: Int] = [:]
        var shared: [Int] = []

        /// Returns whether the key's count stays within the limit, and only then adds to it.
        mutating func add(_ count: Int, to key: String, limit: Int, capacity: Int, sharedCounters: Int) -> Bool {
            if counts.count < capacity || counts[key] != nil {
                return Self.add(count, to: &counts[key, default: 0], limit: limit)
            }
            if shared.isEmpty { shared = Array(repeating: 0, count: sharedCounters) }
            return Self.add(count, to: &shared[Self.slot(of: key, sharedCounters: sharedCounters)], limit: limit)
        }

        mutating func remove(_ key: String, sharedCounters: Int) {
            if let count = counts[key] {
                counts[key] = max(0, count - 1)
            } else if !shared.isEmpty {
                let slot = Self.slot(of: key, sharedCounters: sharedCounters)
                shared[slot] = max(0, shared[slot] - 1)
            }
        }

        private static func add(_ count: Int, to sum: inout Int, limit: Int) -> Bool {
            guard count <= limit - sum else { return false }
            sum += count
            return true
        }

        private static func slot(of key: String, sharedCounters: Int) -> Int {
            Int(UInt(bitPattern: key.hashValue) % UInt(sharedCounters))
        }
    }

    private static let sharedCounters = 4_096

    private let limit: Int
    private let seconds: Int64
    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: how many times a window; 0 lifts the limit.
    ///   - seconds: the length of a window.
    ///   - capacity: how many keys are counted each on its own.
    public init(limit: Int, everySeconds seconds: Int64, capacity: Int = 50_000) {
        self.limit = limit
        self.seconds = seconds
        self.capacity = capacity
    }

    /// Counts one more for the key.
    ///
    /// - Parameters:
    ///   - count: how many to count at once, all or none. More than the limit takes a whole window.
    ///   - time: seconds since 1970.
    /// - Returns: nil when it may pass, else the seconds until the window ends.
    public func admit(_ key: String, count: Int = 1, at time: Int64) -> Int64? {
        admit(key, count: count, at: time, upTo: limit)
    }

    /// As ``admit(_:count:at:)``, for a key that has a limit of its own.
    func admit(_ key: String, count: Int = 1, at time: Int64, upTo limit: Int) -> Int64? {
        guard limit > 0 else { return nil }
        let window = time / seconds
        let isAdmitted = state.withLock { state in
            if state.window != window { state = State(window: window) }
            return state.add(
                min(count, limit), to: key, limit: limit, capacity: capacity, sharedCounters: Self.sharedCounters)
        }
        return isAdmitted ? nil : (window + 1) * seconds - time
    }

    /// Counts one less for a key that was admitted at a time, since nothing came of it.
    func takeBack(_ key: String, at time: Int64) {
        state.withLock { state in
            if state.window == time / seconds { state.remove(key, sharedCounters: Self.sharedCounters) }
        }
    }
}
