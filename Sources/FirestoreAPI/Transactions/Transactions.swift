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
/// `ABORTED` if some of that has changed since. Those that run again after that have ``Turns``.
final class Transactions: Sendable {
    typealias Instant = ContinuousClock.Instant

    let engine: any DocumentEngine
    private let ids: TransactionIDs
    private let clock: @Sendable () -> Instant
    private let state: Mutex<OpenTransactions>
    private let turns = Turns()

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

    /// Ends a transaction and applies the writes, if nothing that it has read has changed since its first read. A
    /// repetition of a commit that has succeeded, also before a restart, gets its result again.
    ///
    /// - Parameters:
    ///   - id: the transaction's id.
    ///   - writes: the writes.
    ///   - digest: the digest of the writes, by which a repetition is recognized.
    ///   - database: the database.
    ///   - caller: the client. If it has gone before the turn of the commit, nothing is applied.
    /// - Throws: `ABORTED` if something has changed, or the server was restarted; `INVALID_ARGUMENT` if the transaction
    ///   has ended, or may not write.
    func commit(
        _ id: Data, _ writes: [Write], digest: [UInt8], in database: DatabaseID, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> CommitResult {
        let identity = CommitIdentity(transaction: Array(id), digest: digest)
        let transaction: Transaction
        do throws(FirestoreStatus) {
            transaction = try beginCommit(id, in: database)
        } catch {
            if let result = try await outcome(of: identity, id, in: database) { return result }
            throw error
        }
        guard transaction.mode == .readWrite || writes.isEmpty else {
            endCommit(id, isFinal: true)
            throw .invalid("Cannot modify entities in a read-only transaction.")
        }
        do throws(StoreError) {
            let options = CommitOptions(
                ifUnchanged: transaction.reads, identity: identity, isAwaited: caller.isWaiting)
            let result = try await engine.store(for: database).commitUnlessCancelled(writes, with: options)
            endCommit(id, isFinal: true)
            return result
        } catch {
            if error.code == .aborted { turns.lost(id, transaction.reads, in: database) }
            endCommit(id, isFinal: !error.allowsRepetition)
            throw FirestoreStatus(error)
        }
    }

    /// Returns the result of a commit whose answer the client may not have received; `nil` if there is none.
    private func outcome(
        of identity: CommitIdentity, _ id: Data, in database: DatabaseID
    ) async throws(FirestoreStatus) -> CommitResult? {
        guard TransactionIDs.isID(id) else { return nil }
        do throws(StoreError) {
            return try await engine.store(for: database).outcome(of: identity)
        } catch {
            throw FirestoreStatus(error)
        }
    }

    /// Ends a transaction without writes. It may have ended before.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there was never one with this id in the database.
    func rollback(_ id: Data, in database: DatabaseID) throws(FirestoreStatus) {
        try state.withLock { (state) throws(FirestoreStatus) in try state.rollBack(id, of: database) }
        turns.leave(id)
    }
}

// MARK: Reads

extension Transactions {
    /// Returns the state that a read asks for.
    ///
    /// - Parameters:
    ///   - selector: the state.
    ///   - database: the database.
    ///   - paths: the documents that are about to be read, if they are known. Others may stand in line for them.
    ///   - scope: the scope of the query that finds them; `nil` without a query.
    /// - Throws: `INVALID_ARGUMENT` if the transaction has ended; `INVALID_ARGUMENT` or `FAILED_PRECONDITION` if the
    ///   state of the time cannot be read.
    func view(
        for selector: ReadSelector, in database: DatabaseID, reading paths: [DocumentPath] = [],
        searching scope: Query.Scope? = nil
    ) async throws(FirestoreStatus) -> ReadView {
        switch selector {
        case .latest:
            let store = engine.store(for: database)
            return ReadView(store, readTime: store.readTime)
        case .time(let proto):
            let time = try Timestamp(exactly: proto)
            return ReadView(try await snapshot(of: database, at: time), readTime: time)
        case .transaction(let id):
            return try await view(of: id, in: database, reading: paths, searching: scope, isNew: false)
        case .newTransaction(let options):
            let begun = try begin(options, in: database, at: clock())
            try insert(begun)
            return try await view(of: begun.id, in: database, reading: paths, searching: scope, isNew: true)
        }
    }

    private func view(
        of id: Data, in database: DatabaseID, reading paths: [DocumentPath], searching scope: Query.Scope?, isNew: Bool
    ) async throws(FirestoreStatus) -> ReadView {
        if try isBeforeFirstRead(id, in: database) {
            turns.join(id, reading: paths, searching: scope, in: database)
            await turns.wait(for: id)
        }
        let time = try readTime(of: id, in: database)
        return ReadView(
            try await snapshot(of: database, at: time), readTime: time, newTransaction: isNew ? id : nil,
            notePaths: { paths in self.update(id) { $0.note(paths) } },
            noteQuery: { query in self.update(id) { $0.note(query) } })
    }

    /// Returns `true` for a transaction that may write and has not read.
    private func isBeforeFirstRead(_ id: Data, in database: DatabaseID) throws(FirestoreStatus) -> Bool {
        let now = clock()
        let transaction = try state.withLock { (state) throws(FirestoreStatus) in
            try state.transaction(id, of: database, at: now)
        }
        return transaction.mode == .readWrite && transaction.readTime == nil
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
            turns.enter(id, insteadOf: readWrite.retryTransaction)
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

    private func beginCommit(_ id: Data, in database: DatabaseID) throws(FirestoreStatus) -> Transaction {
        let now = clock()
        return try state.withLock { (state) throws(FirestoreStatus) in
            try state.beginCommit(id, of: database, at: now)
        }
    }

    private func endCommit(_ id: Data, isFinal: Bool) {
        state.withLock { $0.endCommit(id, isFinal: isFinal) }
        turns.leave(id)
    }

    private func replace(_ id: Data, in database: DatabaseID) throws(FirestoreStatus) {
        try state.withLock { (state) throws(FirestoreStatus) in try state.replace(id, of: database) }
        turns.leave(id)
    }
}

extension StoreError {
    /// `true` if clients repeat a commit after this error, with the same transaction.
    fileprivate var allowsRepetition: Bool {
        switch code {
        case .unavailable, .resourceExhausted, .cancelled: true
        default: false
        }
    }
}
