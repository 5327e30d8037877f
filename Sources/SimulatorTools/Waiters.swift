/// The waiters for numbers of matching entries in a history.
///
/// It is a value without I/O: the owner calls the closures that come out, without a lock.
package struct Waiters<Filter: Sendable>: Sendable {
    /// A function that tells a waiter that its number is reached.
    package typealias Notice = @Sendable () -> Void

    private struct Waiter {
        let filter: Filter
        let wanted: Int
        var missing: Int
        let notify: Notice
    }

    private var waiters: [Int: Waiter] = [:]
    private var lastNumber = 0

    /// Creates the table of a history that nobody waits for.
    package init() {}

    /// Adds a waiter, and returns its number.
    ///
    /// - Parameters:
    ///   - filter: The filter that entries have to match.
    ///   - wanted: The number of matching entries after a reset of the history.
    ///   - missing: The number that is missing now.
    ///   - notify: Tells the waiter that its number is reached.
    package mutating func add(_ filter: Filter, wanted: Int, missing: Int, notify: @escaping Notice) -> Int {
        lastNumber += 1
        waiters[lastNumber] = Waiter(filter: filter, wanted: wanted, missing: missing, notify: notify)
        return lastNumber
    }

    /// Counts a new entry of the history, and removes the waiters whose number is reached.
    ///
    /// - Parameter matches: Returns `true` if the entry matches a filter.
    /// - Returns: The functions that tell these waiters.
    package mutating func count(where matches: (Filter) -> Bool) -> [Notice] {
        var notices: [Notice] = []
        for (number, waiter) in waiters where matches(waiter.filter) {
            if waiter.missing > 1 {
                waiters[number]?.missing -= 1
            } else {
                waiters[number] = nil
                notices.append(waiter.notify)
            }
        }
        return notices
    }

    /// Lets all waiters count from zero again.
    package mutating func startOver() {
        for number in waiters.keys {
            if let wanted = waiters[number]?.wanted { waiters[number]?.missing = wanted }
        }
    }

    /// Returns `true` if the waiter still waits.
    package func contains(_ number: Int) -> Bool { waiters[number] != nil }

    /// Removes a waiter.
    ///
    /// - Returns: `true` if it was still waiting; `false` if it has been notified.
    package mutating func remove(_ number: Int) -> Bool { waiters.removeValue(forKey: number) != nil }
}
