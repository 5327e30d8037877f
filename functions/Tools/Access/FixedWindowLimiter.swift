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

        mutating func count(_ key: String, capacity: Int, sharedCounters: Int) -> Int {
            if counts[key] != nil || counts.count < capacity {
                counts[key, default: 0] += 1
                return counts[key, default: 0]
            }
            if shared.isEmpty { shared = Array(repeating: 0, count: sharedCounters) }
            let slot = Self.slot(of: key, sharedCounters: sharedCounters)
            shared[slot] += 1
            return shared[slot]
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
    /// - Parameter time: seconds since 1970.
    /// - Returns: nil when it may pass, else the seconds until the window ends.
    public func admit(_ key: String, at time: Int64) -> Int64? {
        guard limit > 0 else { return nil }
        let window = time / seconds
        let count = state.withLock { state in
            if state.window != window { state = State(window: window) }
            return state.count(key, capacity: capacity, sharedCounters: Self.sharedCounters)
        }
        return count > limit ? (window + 1) * seconds - time : nil
    }
}
