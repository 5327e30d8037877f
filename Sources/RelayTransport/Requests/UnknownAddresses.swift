import Messaging

/// The addresses that their relays do not know at the moment, without I/O.
///
/// A relay that was restored from a backup of yesterday does not know the addresses of today until their apps call it
/// again. So an address counts as gone only a day after it was not known first.
struct UnknownAddresses: Sendable {
    /// The time for which an address may be unknown.
    static let patience = Duration.seconds(86_400)
    /// The number of addresses that are remembered.
    static let maximumCount = 10_000

    /// The time for which the end of an address counts for further messages to it. Their registration is gone by then.
    private static let memoryOfEnd = Duration.seconds(3_600)

    private struct Entry {
        let first: Duration
        var endedAt: Duration?
    }

    private var entries: [RegistrationToken: Entry] = [:]

    /// Notes that a relay does not know an address.
    ///
    /// - Parameter now: The time since any fixed moment.
    /// - Returns: `true` if the address may become known again.
    mutating func notKnown(_ address: RegistrationToken, at now: Duration) -> Bool {
        if let entry = entries[address], entry.endedAt.map({ now - $0 < Self.memoryOfEnd }) ?? true {
            guard now - entry.first >= Self.patience else { return true }
            if entry.endedAt == nil { entries[address]?.endedAt = now }
            return false
        }
        if entries.count >= Self.maximumCount, entries[address] == nil { removeLast() }
        entries[address] = Entry(first: now)
        return true
    }

    /// Forgets an address that its relay knows.
    mutating func known(_ address: RegistrationToken) {
        guard !entries.isEmpty else { return }
        entries[address] = nil
    }

    /// Forgets the address that was noted last, so that the others reach their end.
    private mutating func removeLast() {
        if let last = entries.max(by: { $0.value.first < $1.value.first })?.key { entries[last] = nil }
    }
}
