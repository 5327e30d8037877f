import DocumentStore
import FirestoreProtos
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The transactions of all databases.
///
/// A transaction holds no lock and no connection. It is a moment and a list of what was read; the commit fails with
/// `ABORTED` if some of that has changed since.
final class Transactions: Sendable {
    typealias Instant = ContinuousClock.Instant

    let engine: any DocumentEngine
    private let ids: TransactionIDs
    private let clock: @Sendable () -> Instant
    private let state: Mutex<OpenTransactions>

    /// Makes a set of transactions, none of them open.
    ///
    /// - Parameter server: a number that no other server has, and that stays the same after a restart.
    convenience init(engine: any DocumentEngine, server: UInt64) {
        let ids = TransactionIDs(server: server, process: .random(in: .min ... .max))
        self.init(engine: engine, ids: ids, clock: { .now })
    }

    /// Makes a set of transactions with a clock.
    ///
    /// - Parameter most: the greatest number of open transactions.
    init(
        engine: any DocumentEngine, most: Int = 100_000, ids: TransactionIDs, clock: @escaping @Sendable () -> Instant
    ) {
        self.engine = engine
        self.ids = ids
        self.clock = clock
        state = Mutex(OpenTransactions(most: most, ids: ids))
    }

    /// Begins a transaction, and returns its id.
    ///
    /// - Throws: `INVALID_ARGUMENT` or `FAILED_PRECONDITION` if it is to read the state of a time that cannot be read;
    ///   `INVALID_ARGUMENT` if it is to replace a transaction that there never was.
    func begin(
        _ options: Google_Firestore_V1_TransactionOptions?, in database: DatabaseID
    ) async throws(FirestoreStatus) -> Data {
        let begun = try begin(options, in: database, at: clock())
        if let time = begun.transaction.readTime { _ = try await snapshot(of: database, at: time) }
        try insert(begun)
        return begun.id
    }

    /// Ends a transaction and applies the writes, if nothing that it has read has changed since its first read.
    ///
    /// - Throws: `ABORTED` if something has changed, or the server was restarted; `INVALID_ARGUMENT` if the transaction
    ///   has ended, or may not write.
    func commit(
        _ id: Data, _ writes: [Write], in database: DatabaseID
    ) async throws(FirestoreStatus) -> CommitResult {
        let transaction = try end(id, in: database)
        guard transaction.mode == .readWrite || writes.isEmpty else {
            throw .invalid("Cannot modify entities in a read-only transaction.")
        }
        do throws(StoreError) {
            return try await commit(transaction, writes)
        } catch {
            // Clients repeat a commit after these, with the same transaction.
            if error.code == .unavailable || error.code == .resourceExhausted { reopen(transaction, as: id) }
            throw FirestoreStatus(error)
        }
    }

    private func commit(_ transaction: Transaction, _ writes: [Write]) async throws(StoreError) -> CommitResult {
        let store = engine.store(for: transaction.database)
        guard let reads = transaction.reads else { return try await store.commit(writes) }
        return try await store.commit(writes, ifUnchanged: reads)
    }

    /// Ends a transaction without writes. It may have ended before.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there was never one with this id in the database.
    func rollback(_ id: Data, in database: DatabaseID) throws(FirestoreStatus) {
        try state.withLock { (state) throws(FirestoreStatus) in try state.rollBack(id, of: database) }
    }
}

// MARK: Reads

extension Transactions {
    /// Returns the state that a read asks for.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the transaction has ended; `INVALID_ARGUMENT` or `FAILED_PRECONDITION` if the
    ///   state of the time cannot be read.
    func view(for selector: ReadSelector, in database: DatabaseID) async throws(FirestoreStatus) -> ReadView {
        switch selector {
        case .latest:
            let store = engine.store(for: database)
            return ReadView(store, readTime: store.readTime)
        case .time(let proto):
            let time = try Timestamp(exactly: proto)
            return ReadView(try await snapshot(of: database, at: time), readTime: time)
        case .transaction(let id): return try await view(of: id, in: database, isNew: false)
        case .newTransaction(let options):
            let begun = try begin(options, in: database, at: clock())
            try insert(begun)
            return try await view(of: begun.id, in: database, isNew: true)
        }
    }

    private func view(
        of id: Data, in database: DatabaseID, isNew: Bool
    ) async throws(FirestoreStatus) -> ReadView {
        let time = try readTime(of: id, in: database)
        return ReadView(
            try await snapshot(of: database, at: time), readTime: time, newTransaction: isNew ? id : nil,
            notePaths: { paths in self.update(id) { $0.note(paths) } },
            noteQuery: { query in self.update(id) { $0.note(query) } })
    }

    /// Returns the moment that a transaction reads. Its first read decides it, without waiting for the store.
    private func readTime(of id: Data, in database: DatabaseID) throws(FirestoreStatus) -> Timestamp {
        let (now, store) = (clock(), engine.store(for: database))
        return try state.withLock { (state) throws(FirestoreStatus) in
            var transaction = try state.transaction(id, of: database, at: now)
            let time = transaction.decideReadTime(store.readTime)
            transaction.use(at: now)
            state.update(id) { $0 = transaction }
            return time
        }
    }

    private func snapshot(
        of database: DatabaseID, at time: Timestamp
    ) async throws(FirestoreStatus) -> any DocumentReader {
        do throws(StoreError) {
            return try await engine.store(for: database).snapshot(at: time)
        } catch {
            throw FirestoreStatus(error)
        }
    }

    private func update(_ id: Data, _ change: (inout Transaction) -> Void) {
        state.withLock { $0.update(id, change) }
    }
}

// MARK: Beginning and ending

extension Transactions {
    private typealias Begun = (id: Data, transaction: Transaction)

    private func begin(
        _ options: Google_Firestore_V1_TransactionOptions?, in database: DatabaseID, at instant: Instant
    ) throws(FirestoreStatus) -> Begun {
        let id = ids.next()
        switch options?.mode {
        case .readOnly(let readOnly):
            var time: Timestamp?
            if case .readTime(let proto) = readOnly.consistencySelector { time = try Timestamp(exactly: proto) }
            return (id, Transaction(of: database, mode: .readOnly, readTime: time, at: instant))
        case .readWrite(let readWrite):
            // A client may begin again before its rollback has arrived.
            if !readWrite.retryTransaction.isEmpty { try replace(readWrite.retryTransaction, in: database) }
            return (id, Transaction(of: database, mode: .readWrite, at: instant))
        case nil: return (id, Transaction(of: database, mode: .readWrite, at: instant))
        }
    }

    private func insert(_ begun: Begun) throws(FirestoreStatus) {
        let now = clock()
        try state.withLock { (state) throws(FirestoreStatus) in
            try state.insert(begun.transaction, as: begun.id, at: now)
        }
    }

    private func end(_ id: Data, in database: DatabaseID) throws(FirestoreStatus) -> Transaction {
        let now = clock()
        return try state.withLock { (state) throws(FirestoreStatus) in try state.end(id, of: database, at: now) }
    }

    private func replace(_ id: Data, in database: DatabaseID) throws(FirestoreStatus) {
        try state.withLock { (state) throws(FirestoreStatus) in try state.replace(id, of: database) }
    }

    private func reopen(_ transaction: Transaction, as id: Data) {
        state.withLock { $0.reopen(transaction, as: id) }
    }
}
