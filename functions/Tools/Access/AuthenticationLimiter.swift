internal import Synchronization

/// Limits guesses at keys by the addresses and networks they come from, and locks out nobody who has used a right key
/// from the same address before.
///
/// Within a window of five minutes an address may fail 10 times, the network around it 100 times, and the one around that
/// 1,000 times: an IPv6 client is counted by /64, /48 and /32, an IPv4 client by address, /24 and /16. Attempts that are
/// turned away are not counted, so one address alone cannot use up what its network has.
///
/// Memory is bounded: when a table is full, a new entry takes the place of one with fewer failures, and clients without
/// failures of their own are never made to wait.
public final class AuthenticationLimiter: Sendable {
    /// The decision on one attempt.
    public enum Verdict: Hashable, Sendable {
        case accepted
        /// The credential is wrong, and the failure was counted.
        case rejected
        /// - Parameter retryAfter: in seconds.
        case tooManyFailures(retryAfter: Int64)
    }

    private let capacity: Int
    private let state: Mutex<State>

    /// - Parameter capacity: of each table: entries of failures by width of network, and addresses remembered.
    public init(capacity: Int = 10_000) {
        self.capacity = capacity
        state = Mutex(State(capacity: capacity))
    }

    /// Decides on an attempt.
    ///
    /// - Parameters:
    ///   - credential: identifies the credential if it is right; `nil` if it is wrong or missing.
    ///   - networks: the client's address and the networks it is in, from the narrowest on.
    ///   - time: seconds since 1970.
    public func judge(_ credential: [UInt8]?, from networks: [String], at time: Int64) -> Verdict {
        state.withLock { state in
            state.beginWindow(of: time, capacity: capacity)
            if let credential { return state.accept(credential, from: networks, at: time) }
            return state.reject(from: networks, at: time)
        }
    }
}

extension AuthenticationLimiter {
    /// The failures counted and the uses remembered. Pure.
    private struct State {
        /// The failures that are allowed in a window, from the narrowest network on.
        private static let thresholds = [10, 100, 1_000]
        /// Seconds.
        private static let window: Int64 = 5 * 60

        private struct Use: Hashable {
            let address: String
            let credential: [UInt8]
        }

        private var window = Int64.min
        /// A table for each width of network.
        private var failures: [BoundedTable<String, Int>]
        /// When a right credential was last used from an address.
        private var uses: BoundedTable<Use, Int64>

        init(capacity: Int) {
            failures = Self.tables(capacity)
            uses = BoundedTable(capacity: capacity)
        }

        private static func tables(_ capacity: Int) -> [BoundedTable<String, Int>] {
            thresholds.map { _ in BoundedTable(capacity: capacity) }
        }

        /// Forgets the failures of windows before.
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
