import Synchronization

/// A limiter of guesses at keys, by the client's address and networks. It does not lock out a client that has used a
/// valid key from the same address before.
///
/// Within a window of five minutes an address may fail 10 times, its network 100 times, and the wider network around
/// that 1,000 times. An IPv6 client is counted by /64, /48 and /32, an IPv4 client by address, /24 and /16. Refused
/// attempts are not counted, so one address alone cannot use up the allowance of its network.
///
/// Memory is bounded: if a table is full, a new entry replaces one with fewer failures. Clients without failures of
/// their own never have to wait.
package final class AuthenticationLimiter: Sendable {
    /// The decision on one attempt.
    package enum Verdict: Hashable, Sendable {
        case accepted
        /// The credential is wrong, and the failure was counted.
        case rejected
        /// - Parameter retryAfter: The delay in seconds.
        case tooManyFailures(retryAfter: Int64)
    }

    private let capacity: Int
    private let state: Mutex<State>

    /// - Parameter capacity: The capacity of each table: failures by width of network, and remembered addresses.
    package init(capacity: Int = 10_000) {
        self.capacity = capacity
        state = Mutex(State(capacity: capacity))
    }

    /// Decides on an attempt.
    ///
    /// - Parameters:
    ///   - credential: The digest of a valid credential; `nil` if it is wrong or missing.
    ///   - networks: The client's address and the networks that contain it, narrowest first.
    ///   - time: The time of the attempt, in seconds since 1970.
    package func judge(_ credential: [UInt8]?, from networks: [String], at time: Int64) -> Verdict {
        state.withLock { state in
            state.beginWindow(of: time, capacity: capacity)
            if let credential { return state.accept(credential, from: networks, at: time) }
            return state.reject(from: networks, at: time)
        }
    }
}

extension AuthenticationLimiter {
    /// The counted failures and the remembered uses, without I/O.
    private struct State {
        /// The allowed failures in a window, narrowest network first.
        private static let thresholds = [10, 100, 1_000]
        /// In seconds.
        private static let window: Int64 = 5 * 60

        private struct Use: Hashable {
            let address: String
            let credential: [UInt8]
        }

        private var window = Int64.min
        /// One table per width of network.
        private var failures: [BoundedTable<String, Int>]
        /// The time of the last use of a valid credential from an address.
        private var uses: BoundedTable<Use, Int64>

        init(capacity: Int) {
            failures = Self.tables(capacity)
            uses = BoundedTable(capacity: capacity)
        }

        private static func tables(_ capacity: Int) -> [BoundedTable<String, Int>] {
            thresholds.map { _ in BoundedTable(capacity: capacity) }
        }

        /// Discards the failures of earlier windows.
        mutating func beginWindow(of time: Int64, capacity: Int) {
            guard window != time / Self.window else { return }
            window = time / Self.window
            failures = Self.tables(capacity)
        }

        mutating func accept(_ credential: [UInt8], from networks: [String], at time: Int64) -> Verdict {
            let use = Use(address: networks.first ?? "", credential: credential)
            if uses[use] == nil, isLimited(networks) { return .tooManyFailures(retryAfter: wait(at: time)) }
            uses.set(time, for: use)
            return .accepted
        }

        mutating func reject(from networks: [String], at time: Int64) -> Verdict {
            if isLimited(networks) { return .tooManyFailures(retryAfter: wait(at: time)) }
            for (width, network) in zip(failures.indices, networks) {
                failures[width].set((failures[width][network] ?? 0) + 1, for: network)
            }
            return .rejected
        }

        private func isLimited(_ networks: [String]) -> Bool {
            zip(failures, zip(Self.thresholds, networks)).contains { table, limit in (table[limit.1] ?? 0) >= limit.0 }
        }

        private func wait(at time: Int64) -> Int64 { (window + 1) * Self.window - time }
    }
}

extension FunctionRequest {
    /// Judges an attempt with the request's key and counts it if it fails.
    ///
    /// - Parameters:
    ///   - key: The key from the request; `nil` if there is none.
    ///   - time: The time of the request, in seconds since 1970.
    func verdict(
        on key: BearerCredential?, isRight: Bool, by limiter: AuthenticationLimiter, at time: Int64
    ) -> AuthenticationLimiter.Verdict {
        limiter.judge(isRight ? key?.digest : nil, from: clientNetworks, at: time)
    }
}

/// A dictionary of bounded size. If it is full, a new key replaces the entry with the lowest value among a few
/// candidates.
///
/// The candidates are the next slots in turn. So an insertion costs the same for any size of table, and a key with a
/// high value stays while there are lower ones near it.
struct BoundedTable<Key: Hashable & Sendable, Value: Comparable & Sendable>: Sendable {
    private static var candidates: Int { 8 }

    private let capacity: Int
    private var slots: [(key: Key, value: Value)] = []
    private var places: [Key: Int] = [:]
    /// The first slot of the next candidates.
    private var hand = 0

    /// - Parameter capacity: The maximum number of entries, at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    subscript(key: Key) -> Value? { places[key].map { slots[$0].value } }

    mutating func set(_ value: Value, for key: Key) {
        if let place = places[key] {
            slots[place].value = value
        } else if slots.count < capacity {
            places[key] = slots.count
            slots.append((key, value))
        } else {
            let place = leastOfNext()
            places[slots[place].key] = nil
            places[key] = place
            slots[place] = (key, value)
        }
    }

    private mutating func leastOfNext() -> Int {
        var least = hand
        for step in 1..<min(Self.candidates, slots.count) {
            let place = (hand + step) % slots.count
            if slots[place].value < slots[least].value { least = place }
        }
        hand = (hand + Self.candidates) % slots.count
        return least
    }
}
