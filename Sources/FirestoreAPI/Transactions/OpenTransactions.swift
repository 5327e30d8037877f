import DocumentStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The open transactions by id, and the ids of those that ended.
struct OpenTransactions: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The least time between two searches for expired transactions, each of which looks at all of them.
    private static let sweepInterval = Duration.seconds(1)
    private static let endedGeneration = 32_768

    private let most: Int
    private let ids: TransactionIDs
    private var open: [Data: Transaction] = [:]
    private var ended = EndedTransactions(generation: endedGeneration)
    private var lastSweep: Instant?

    /// Makes an empty set.
    ///
    /// - Parameters:
    ///   - most: the greatest number of open transactions.
    ///   - ids: the ids that transactions have.
    init(most: Int, ids: TransactionIDs) {
        self.most = most
        self.ids = ids
    }

    /// Adds a new transaction.
    ///
    /// - Throws: `RESOURCE_EXHAUSTED` if there are too many. Idle ones end after a minute, so a client may try again.
    mutating func insert(_ transaction: Transaction, as id: Data, at instant: Instant) throws(FirestoreStatus) {
        if open.count >= most / 2 { sweep(at: instant) }
        guard open.count < most else {
            throw FirestoreStatus(.resourceExhausted, "Too many transactions are open.")
        }
        open[id] = transaction
    }

    /// Returns an open transaction.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it has ended, or is not one of the database; `ABORTED` if a restart of the
    ///   server has ended it.
    func transaction(_ id: Data, of database: DatabaseID, at instant: Instant) throws(FirestoreStatus) -> Transaction {
        let transaction = try unended(id, of: database, at: instant)
        guard !transaction.isCommitting else { throw Self.closed }
        return transaction
    }

    private func unended(
        _ id: Data, of database: DatabaseID, at instant: Instant
    ) throws(FirestoreStatus) -> Transaction {
        guard let transaction = open[id], !transaction.isExpired(at: instant) else {
            if ids.isEarlier(id) { throw Self.lost }
            throw ended.contains(id) || open[id] != nil ? Self.closed : Self.unknown
        }
        guard transaction.database == database else { throw Self.unknown }
        return transaction
    }

    /// Changes an open transaction; has no effect if it has ended.
    mutating func update(_ id: Data, _ change: (inout Transaction) -> Void) {
        guard let place = open.index(forKey: id) else { return }
        change(&open.values[place])
    }

    /// Begins the commit of a transaction, which nobody can read any longer. A client that does not wait for the answer
    /// may begin it again.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it has ended before, or is not one of the database; `ABORTED` if a restart of
    ///   the server has ended it.
    mutating func beginCommit(
        _ id: Data, of database: DatabaseID, at instant: Instant
    ) throws(FirestoreStatus) -> Transaction {
        let transaction = try unended(id, of: database, at: instant)
        update(id) { $0.beginCommit() }
        return transaction
    }

    /// Ends a commit that ``beginCommit(_:of:at:)`` has begun.
    ///
    /// - Parameter isFinal: `false` if the client may commit the transaction again.
    mutating func endCommit(_ id: Data, isFinal: Bool) {
        update(id) { $0.endCommit() }
        if isFinal, open[id] != nil { close(id) }
    }

    /// Ends a transaction that may have ended before.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there was never one with this id in the database.
    mutating func rollBack(_ id: Data, of database: DatabaseID) throws(FirestoreStatus) {
        guard let transaction = open[id] else {
            guard ended.contains(id) || ids.isEarlier(id) else { throw Self.unknown }
            return
        }
        guard transaction.database == database else { throw Self.unknown }
        if !transaction.isCommitting { close(id) }
    }

    /// Ends the transaction that a new one replaces. It may have ended before, even so long ago that it was forgotten:
    /// a client may wait long before it tries again.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there was never one with this id in the database.
    mutating func replace(_ id: Data, of database: DatabaseID) throws(FirestoreStatus) {
        guard open[id] != nil || !ended.isIncomplete || !ids.isOwn(id) else { return }
        try rollBack(id, of: database)
    }

    private mutating func close(_ id: Data) {
        open[id] = nil
        ended.insert(id)
    }

    private mutating func sweep(at instant: Instant) {
        if let lastSweep, lastSweep.duration(to: instant) < Self.sweepInterval { return }
        lastSweep = instant
        let expired = open.filter { $0.value.isExpired(at: instant) }.keys
        for id in expired { close(id) }
    }

    private static var unknown: FirestoreStatus { .invalid("Invalid transaction.") }
    private static var closed: FirestoreStatus { .invalid("Transaction is invalid or closed.") }
    private static var lost: FirestoreStatus {
        FirestoreStatus(.aborted, "The server was restarted, which has ended the transaction. Run it again.")
    }
}
