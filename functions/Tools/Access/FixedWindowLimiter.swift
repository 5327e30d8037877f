import Synchronization

/// A limiter that admits each key a fixed number of times per window. Windows are fixed (every full minute, for
/// example), not sliding.
///
/// Memory is bounded: counts are discarded when their window ends. After `capacity` keys in one window, further keys
/// share a few thousand counters, chosen by hash. A flood from ever new addresses then limits some unrelated clients
/// together, but uses no more memory.
package final class FixedWindowLimiter: Sendable {
    private struct State {
        var window: Int64 = .min
        var counts: [String: Int] = [:]
        var shared: [Int] = []

        /// Adds to the key's count if the result stays within the limit. Returns `true` if it did.
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
    ///   - limit: The number of admissions per window; 0 removes the limit.
    ///   - seconds: The length of a window.
    ///   - capacity: The number of keys that have a counter of their own.
    package init(limit: Int, everySeconds seconds: Int64, capacity: Int = 50_000) {
        self.limit = limit
        self.seconds = seconds
        self.capacity = capacity
    }

    /// Counts one or more uses of the key.
    ///
    /// - Parameters:
    ///   - count: The number of uses, admitted all or none. A number above the limit uses a whole window.
    ///   - time: The time of the request, in seconds since 1970.
    /// - Returns: `nil` if the request is admitted, otherwise the seconds until the window ends.
    package func admit(_ key: String, count: Int = 1, at time: Int64) -> Int64? {
        admit(key, count: count, at: time, upTo: limit)
    }

    /// Counts like ``admit(_:count:at:)``, for a key with a limit of its own.
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

    /// Takes back one use that was admitted at the given time and had no effect.
    package func takeBack(_ key: String, at time: Int64) {
        state.withLock { state in
            if state.window == time / seconds { state.remove(key, sharedCounters: Self.sharedCounters) }
        }
    }
}
