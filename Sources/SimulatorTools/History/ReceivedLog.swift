/// A log of the requests that a service for tests has received, a value that a ``ReceivedHistory`` shares.
package protocol ReceivedLog: Sendable {
    /// A request and its answer.
    associatedtype Entry: Sendable
    /// A filter for entries.
    associatedtype Filter: Sendable
    /// Counts of events since the start or the last reset.
    associatedtype Counters: Sendable
    /// Limits of the entries that are kept. Older ones are dropped but stay counted.
    associatedtype Limits: Sendable

    init(limits: Limits)

    /// The counts of entries and of other events.
    var counters: Counters { get }

    /// Stores and counts a request, and returns it with its number.
    ///
    /// - Parameter authorization: The request's `authorization`. It is counted, not kept.
    mutating func append(_ entry: Entry, authorization: String?) -> Entry

    /// Changes the counters of other events.
    mutating func count(_ change: (inout Counters) -> Void)

    /// Deletes all entries and sets all counters to zero, except those of what is open.
    mutating func reset()

    /// Returns a page of the matching entries, oldest first, and the number of all that match.
    func page(matching filter: Filter, offset: Int, limit: Int) -> ReceivedPage<Entry>

    /// Returns the number of received entries. Without a filter it includes those that are no longer kept.
    func count(matching filter: Filter) -> Int

    /// Returns `true` if the entry has every value that the filter sets.
    static func matches(_ entry: Entry, _ filter: Filter) -> Bool
}

/// A page of matching entries.
package struct ReceivedPage<Entry: Sendable>: Sendable {
    /// The number of all matching entries.
    package let total: Int
    /// The entries, oldest first.
    package let entries: [Entry]

    package init(total: Int, entries: [Entry]) {
        self.total = total
        self.entries = entries
    }
}
