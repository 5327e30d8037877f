/// The hosts that did not answer, or the domains with such a host, which get no request for a while, without I/O.
///
/// Strangers name hosts. One that accepts connections and never answers would take the places of its lane for the whole
/// time limit of a request, again and again.
package struct HostRests: Sendable {
    private struct Rest {
        var failures: Int
        var until: Int64
    }

    /// The first rest and the longest one, in seconds. Each failure doubles the rest.
    private static let (first, longest): (Int64, Int64) = (10, 600)
    /// The number of hosts that are remembered.
    static let maximumCount = 1_000

    private var rests: [String: Rest] = [:]

    package init() {}

    /// Returns the time until a host gets requests again; `nil` if it gets them now.
    package func rest(of host: String, at now: Int64) -> Duration? {
        // A longer rest than any: the clock was set back.
        guard let rest = rests[host], rest.until > now, rest.until - now <= Self.longest else { return nil }
        return .seconds(rest.until - now)
    }

    /// Lets a host rest after a request without an answer. Failures during its rest belong to the one before.
    package mutating func failed(_ host: String, at now: Int64) {
        guard rest(of: host, at: now) == nil else { return }
        if rests.count >= Self.maximumCount, rests[host] == nil { removeFirst() }
        let failures = (rests[host]?.failures ?? 0) + 1
        let seconds = min(Self.first << Int64(min(failures - 1, 10)), Self.longest)
        rests[host] = Rest(failures: failures, until: now + seconds)
    }

    /// Forgets the failures of a host that has answered.
    package mutating func answered(_ host: String) { rests[host] = nil }

    /// Forgets the host whose rest ends or has ended first, so that the longest rests stay.
    private mutating func removeFirst() {
        if let first = rests.min(by: { $0.value.until < $1.value.until })?.key { rests[first] = nil }
    }
}
