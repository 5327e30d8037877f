/// The use of the lanes that hosts share, by host, without I/O. In the long run a host has half of its lane's places.
///
/// Strangers name hosts. One that answers slowly, or that gets very many messages, would take all places of its lane,
/// and the messages to the others would wait behind its own. So a message to a host that has used more than its share
/// waits on disk for a turn of its own, and takes no place until then.
package struct HostShares: Sendable {
    /// The answer to a message that is about to be sent.
    package enum Turn: Hashable, Sendable {
        /// It takes a place of its lane.
        case now(Use)
        /// It waits for this time.
        case later(Duration)
    }

    /// The use of a place by a message.
    package struct Use: Hashable, Sendable {
        fileprivate let host: String
        fileprivate let begunAt: Duration
        /// The time that the use counts for until it ends.
        fileprivate let expected: Duration
    }

    private struct Share {
        /// The time for which places were used beyond the host's share, at the time of the last change. While messages
        /// are under way it may be negative: the rest of their use counts at its end.
        var excess = Duration.zero
        var changedAt: Duration
        var underWay = 0
        /// The average time of a use.
        var usualTime = Duration.zero
        /// The turn of the last message that waits.
        var lastTurn = Duration.zero

        func excess(at now: Duration) -> Duration {
            let least = underWay > 0 ? Duration.zero - HostShares.allowance : Duration.zero
            return max(least, excess - (now - changedAt) * HostShares.places)
        }

        mutating func advance(to now: Duration) {
            excess = excess(at: now)
            changedAt = now
        }
    }

    /// The number of places that a host may use all the time: half of those of a lane.
    private static let places = 2
    /// The excess from which on messages wait, and the one at the first turn: less, since uses take more or less time
    /// than expected.
    private static let (allowance, rest) = (Duration.seconds(4), Duration.seconds(2))
    /// The shortest and the longest wait. After the longest one a message may wait again.
    private static let (shortestWait, longestWait) = (Duration.seconds(1), Duration.seconds(600))
    /// The number of hosts that are remembered.
    static let maximumCount = 1_000

    private var shares: [String: Share] = [:]

    package init() {}

    /// Begins the use of a place, or returns the wait of a message for its turn.
    ///
    /// - Parameter now: The time since any fixed moment.
    package mutating func begin(_ host: String, at now: Duration) -> Turn {
        if shares.count >= Self.maximumCount, shares[host] == nil { removeLeast(at: now) }
        var share = shares[host] ?? Share(changedAt: now)
        defer { shares[host] = share }
        share.advance(to: now)
        guard share.excess >= Self.allowance else {
            share.excess += share.usualTime
            share.underWay += 1
            return .now(Use(host: host, begunAt: now, expected: share.usualTime))
        }
        let first = now + max((share.excess - Self.rest) / Self.places, Self.shortestWait)
        let next = share.lastTurn + share.usualTime / Self.places
        share.lastTurn = min(max(first, next), now + Self.longestWait)
        return .later(share.lastTurn - now)
    }

    /// Ends the use of a place.
    package mutating func end(_ use: Use, at now: Duration) {
        guard var share = shares[use.host] else { return }
        let time = max(.zero, now - use.begunAt)
        share.advance(to: now)
        share.excess += time - use.expected
        share.underWay = max(0, share.underWay - 1)
        share.usualTime = share.usualTime == .zero ? time : (share.usualTime * 3 + time) / 4
        shares[use.host] = share
    }

    /// Forgets the host with the least excess.
    private mutating func removeLeast(at now: Duration) {
        let least = shares.min { $0.value.excess(at: now) < $1.value.excess(at: now) }?.key
        if let least { shares[least] = nil }
    }
}
