import Messaging

/// The addresses that their relays do not know at the moment, without I/O.
///
/// A relay that was restored from a backup of yesterday does not know the addresses of today until their apps call it
/// again. So an address counts as gone only a day after it was not known first.
struct UnknownAddresses: Sendable {
    /// The finding about an address that its relay does not know.
    enum Finding: Hashable, Sendable {
        /// It was known, or not asked for, until now. It may become known again.
        case new
        /// It may become known again.
        case waiting
        /// Its day is over.
        case ended
    }

    /// The time for which an address may be unknown.
    static let patience = Duration.seconds(86_400)
    /// The time after which the day begins again. Another gateway over the same documents may have found the address
    /// known in between.
    static let validity = Duration.seconds(8 * 86_400)
    /// The number of addresses that are remembered.
    static let maximumCount = 10_000

    /// The time for which the end of an address counts for further messages to it. Their registration is gone by then.
    private static let memoryOfEnd = Duration.seconds(3_600)

    private struct Entry {
        let first: Duration
        var endedAt: Duration?

        func counts(at now: Duration) -> Bool {
            guard let endedAt else { return now - first < UnknownAddresses.validity }
            return now - endedAt < UnknownAddresses.memoryOfEnd
        }
    }

    /// The entries by the digests of the addresses.
    private var entries: [String: Entry] = [:]

    /// Notes that a relay does not know an address.
    ///
    /// - Parameter now: The time since any fixed moment.
    mutating func notKnown(_ address: RegistrationToken, at now: Duration) -> Finding {
        let digest = address.digest
        if let entry = entries[digest], entry.counts(at: now) {
            guard now - entry.first >= Self.patience else { return .waiting }
            if entry.endedAt == nil { entries[digest]?.endedAt = now }
            return .ended
        }
        if entries.count >= Self.maximumCount, entries[digest] == nil { removeLast() }
        entries[digest] = Entry(first: now)
        return .new
    }

    /// Forgets an address that its relay knows.
    ///
    /// - Returns: `false` if it was not noted.
    mutating func known(_ address: RegistrationToken) -> Bool {
        guard !entries.isEmpty else { return false }
        return entries.removeValue(forKey: address.digest) != nil
    }

    /// Takes the notes of an earlier process.
    ///
    /// - Parameter ages: The times since the addresses were not known first, by the digests of these.
    mutating func restore(_ ages: [String: Duration], at now: Duration) {
        for (digest, age) in ages { entries[digest] = Entry(first: now - age) }
    }

    /// Forgets the address that was noted last, so that the others reach their end.
    private mutating func removeLast() {
        if let last = entries.max(by: { $0.value.first < $1.value.first })?.key { entries[last] = nil }
    }
}
