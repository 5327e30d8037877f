import DocumentStore

/// The commits of one transaction, all of one database whose row is locked.
///
/// Each commit is computed in memory from the documents as the commits before it leave them. What has to be written is
/// collected, and written at the end with a few statements.
struct CommitGroup {
    /// A change that the table `changes` is to have.
    private struct Change {
        let key: RowKey
        let time: Timestamp
        let before: StoredDocument?
    }

    private let database: DatabaseID
    private let configuration: PostgreSQLStoreConfiguration
    private let connection: Connection
    /// The database's row before this transaction.
    let before: DatabaseRow
    private(set) var row: DatabaseRow
    private let indexes: DeclaredIndexes
    /// The documents that the commits name, before this transaction.
    private var initial: [DocumentPath: StoredDocument]
    /// The same documents, as the last commit leaves them; `nil` for those that do not exist.
    private var documents: [DocumentPath: StoredDocument]
    /// The entries of ``written`` documents in the automatic indexes.
    private var automatic: [DocumentPath: Set<FieldEntry>] = [:]
    private var written: [DocumentPath: (key: RowKey, document: StoredDocument?)] = [:]
    private var changesToWrite: [Change] = []
    /// The outcomes of the transactions that the commits name, by the ids of the transactions.
    private var outcomes: [[UInt8]: CommitOutcome]
    private var outcomesToWrite: [[UInt8]] = []
    private(set) var changed = ChangedDocuments()
    /// `true` if a commit has succeeded, or the time has been advanced.
    private(set) var isApplied = false

    init(
        _ database: DatabaseID, _ row: DatabaseRow, _ documents: [DocumentPath: StoredDocument],
        _ outcomes: [[UInt8]: CommitOutcome], _ indexes: DeclaredIndexes,
        _ configuration: PostgreSQLStoreConfiguration, _ connection: Connection
    ) {
        self.database = database
        self.row = row
        self.indexes = indexes
        initial = documents
        self.documents = documents
        self.outcomes = outcomes
        self.configuration = configuration
        self.connection = connection
        before = row
        keepVersions()
    }

    /// Makes the database keep versions, or stop to do so, as the settings say.
    private mutating func keepVersions() {
        let isKept = configuration.keepsVersions(database)
        guard isKept != (row.since != nil) else { return }
        // All changes from this commit on are kept, so the states since the one before it.
        row.since = isKept ? row.lastCommit : nil
    }

    // MARK: Commits

    /// Applies one commit.
    ///
    /// - Parameter now: the present time.
    /// - Throws: an error that ends the whole transaction.
    mutating func apply(_ work: PendingCommit.Work, at now: Timestamp) throws -> Result<CommitResult, StoreError> {
        let time = max(now, row.lastCommit.next)
        switch work {
        case .moment(let time): return .success(reach(time))
        case .outcome(let identity):
            return outcomes[identity.transaction]?.answer(to: identity) ?? .failure(.noOutcome)
        case .removal:
            try removeAll(at: time)
            didApply(at: time)
            return .success(CommitResult(commitTime: time, updateTimes: []))
        case .writes(let writes, let options):
            if let identity = options.identity, let outcome = outcomes[identity.transaction] {
                return outcome.answer(to: identity)
            }
            if let reads = options.reads, try conflicts(reads) { return .failure(.conflict) }
            let result = apply(writes, at: time)
            guard case .success(let success) = result else { return result }
            didApply(at: time)
            // Without writes, a repetition changes nothing either.
            if let identity = options.identity, !writes.isEmpty { keep(success, as: identity) }
            return result
        }
    }

    /// Makes all later commits later than a time.
    private mutating func reach(_ time: Timestamp) -> CommitResult {
        if time > row.lastCommit { didApply(at: time) }
        return CommitResult(commitTime: time, updateTimes: [])
    }

    private mutating func didApply(at time: Timestamp) {
        row.lastCommit = time
        isApplied = true
    }

    private mutating func keep(_ result: CommitResult, as identity: CommitIdentity) {
        outcomes[identity.transaction] = CommitOutcome(digest: identity.digest, result: result)
        outcomesToWrite.append(identity.transaction)
    }

    private mutating func apply(_ writes: [KeyedWrite], at time: Timestamp) -> Result<CommitResult, StoreError> {
        var working = WorkingSet<StoredDocument>(writes: writes.count)
        let result = working.apply(writes, in: database, at: time) { documents[$0.path] }
        guard case .success = result else { return result }
        do throws(StoreError) {
            if row.isIndexed {
                automatic.merge(try working.entries(declared: configuration.fieldIndexes)) { _, new in new }
            }
        } catch {
            return .failure(error)
        }
        for place in working.changed { write(place, at: time) }
        return result
    }

    private mutating func write(_ place: WorkingSet<StoredDocument>.Place, at time: Timestamp) {
        let (path, key) = (place.write.path, place.write.key)
        guard place.row != nil || place.document != nil else { return }
        documents[path] = place.document
        written[path] = (key, place.document)
        changesToWrite.append(Change(key: key, time: time, before: row.since == nil ? nil : place.row))
        changed.append(
            ChangedDocument(database: database, path: path, before: place.row, after: place.document, time: time))
        if row.since != nil { changed.versioned.insert(database) }
        row.lastChange = time
    }

    /// Gives the database another number, which no row has. The rows of the old one are deleted later.
    private mutating func removeAll(at time: Timestamp) throws {
        let since: Parameter = configuration.keepsVersions(database) ? .integer(time.microseconds) : .null
        let rows = try connection.run(ServerSQL.renumber, database.parameters + [.integer(time.microseconds), since])
        changed.append(ChangedDocuments.Removal(database: database, number: row.number, time: time))
        row.number = rows.integer(0, 0) ?? row.number
        row.lastChange = time
        row.since = configuration.keepsVersions(database) ? time : nil
        // The removal includes the writes of earlier commits of the group.
        (initial, documents, written, changesToWrite, automatic) = ([:], [:], [:], [], [:])
        (outcomes, outcomesToWrite) = ([:], [])
    }

    // MARK: Transactions

    /// Returns `true` if a read of a transaction has changed, or may have changed, since it was read.
    private func conflicts(_ reads: TransactionReads) throws -> Bool {
        try reads.haveChanged(in: database, by: changed, since: before.lastChange) {
            // Earlier changes are not known, or are those of a database that was emptied.
            guard let since = before.since, since <= reads.time else { return try mayHaveChanged(reads) }
            let log = ChangeLog(database: database, connection: connection)
            return reads.conflict(
                with: try log.changes(ofNumber: before.number, after: reads.time, upTo: before.lastCommit))
        }
    }

    /// Compares the update times of the documents, which one statement reads.
    private func mayHaveChanged(_ reads: TransactionReads) throws -> Bool {
        // The result of a query cannot be compared, so there is nothing to read.
        guard reads.queries.isEmpty else { return true }
        let keys = reads.paths.map(RowKey.init)
        let found = try connection.run(
            [StateSource(database: database, time: nil).documents(at: keys)])[0].storedByPath()
        return reads.mayHaveChanged { found[$0] }
    }

    // MARK: Writing

    /// The time of the last change that the table `changes` has of the group; `nil` for none.
    var lastChange: Timestamp? { changesToWrite.last?.time }

    /// Calls the closure with each document that the commits have changed, as the last one leaves it; `nil` for those
    /// that are deleted.
    func forEachWritten(_ body: (DocumentPath, StoredDocument?) -> Void) {
        for (path, (_, document)) in written { body(path, document) }
    }

    /// The statements that write the group.
    ///
    /// - Parameters:
    ///   - token: a number by which the group's changes can be found.
    ///   - isTolerant: `false` to insert what is missing by the documents that were read, which is cheaper than to look
    ///     again for rows that may be there, as those that another program has written.
    func statements(token: Int64, isTolerant: Bool) -> [Call] {
        var calls = documentStatements(isTolerant: isTolerant) + entryStatements(isTolerant: isTolerant)
        if !changesToWrite.isEmpty {
            let changes = row.since == nil ? packedChanges : versions
            calls.append(Call(ServerSQL.insertChanges, [.integer(row.number), .integer(token)] + changes))
        }
        calls += outcomeStatements
        calls.append(
            Call(
                ServerSQL.setCommit,
                database.parameters + [
                    .integer(row.lastCommit.microseconds), .integer(row.lastChange.microseconds),
                    row.since.map { .integer($0.microseconds) } ?? .null,
                ]))
        return calls
    }

    /// The columns of a row for each change.
    private var versions: [Parameter] {
        [.integers(changesToWrite.map(\.time.microseconds))] + Self.columns(of: changesToWrite.map(\.key)) + [
            .texts(changesToWrite.map { $0.before?.json }),
            .integers(changesToWrite.map { $0.before?.createTime.microseconds }),
            .integers(changesToWrite.map { $0.before?.updateTime.microseconds }),
        ]
    }

    /// The columns of rows without paths, with lists of the changes. Their numbers take the place of ids.
    private var packedChanges: [Parameter] {
        let packed = PackedChanges.packed(
            changesToWrite.map { change in
                let (parent, document, _) = change.key.columns
                return PackedChanges.Change(time: change.time, parent: parent, document: document)
            })
        let none = [[UInt8]?](repeating: [], count: packed.count)
        return [
            .integers(packed.map(\.time.microseconds)), .texts(none),
            .texts(packed.indices.map { Array(String($0).utf8) }), .texts(none), .texts(packed.map(\.text)),
            .integers(packed.map { _ in nil }), .integers(packed.map { _ in nil }),
        ]
    }

    /// The statements that write the documents.
    private func documentStatements(isTolerant: Bool) -> [Call] {
        var (new, changed): ([(RowKey, StoredDocument)], [(RowKey, StoredDocument)]) = ([], [])
        var gone: [RowKey] = []
        for (path, (key, document)) in written {
            if let document {
                let isNew = isTolerant || initial[path] == nil
                if isNew { new.append((key, document)) } else { changed.append((key, document)) }
            } else {
                gone.append(key)
            }
        }
        var calls: [Call] = []
        if !new.isEmpty {
            let sql = isTolerant ? ServerSQL.upsert : ServerSQL.insert
            calls.append(Call(sql, [.integer(row.number)] + Self.columns(of: new.map(\.0)) + Self.values(of: new)))
        }
        if !changed.isEmpty {
            let columns = Self.columns(of: changed.map(\.0)).prefix(2)
            calls.append(Call(ServerSQL.update, [.integer(row.number)] + columns + Self.values(of: changed)))
        }
        if !gone.isEmpty {
            calls.append(Call(ServerSQL.delete, [.integer(row.number)] + Self.columns(of: gone).prefix(2)))
        }
        return calls
    }

    /// Returns the columns `fields`, `created_at` and `updated_at`.
    private static func values(of documents: [(RowKey, StoredDocument)]) -> [Parameter] {
        [
            .texts(documents.map(\.1.json)), .integers(documents.map(\.1.createTime.microseconds)),
            .integers(documents.map(\.1.updateTime.microseconds)),
        ]
    }

    /// The statement that keeps the outcomes of transactions, if there are any.
    private var outcomeStatements: [Call] {
        let ids = outcomesToWrite
        guard !ids.isEmpty else { return [] }
        let kept = ids.compactMap { outcomes[$0] }
        return [
            Call(
                ServerSQL.insertOutcomes,
                [
                    .integer(row.number), .blobs(ids), .integers(kept.map(\.result.commitTime.microseconds)),
                    .blobs(kept.map(\.digest)), .texts(kept.map(\.text)),
                ])
        ]
    }

    /// The statements that replace the entries of the written documents.
    private func entryStatements(isTolerant: Bool) -> [Call] {
        guard row.isIndexed || indexes.count > 0 else { return [] }
        var calls: [Call] = []
        var (gone, new): ([IndexEntry], [IndexEntry]) = ([], [])
        for (path, (key, document)) in written {
            let fields = indexes.fields(of: key.columns.collection)
            let after =
                document.flatMap {
                    try? IndexEntry.entries(of: $0, at: path, key, automatic: automatic[path], declared: fields)
                } ?? []
            do throws(StoreError) {
                let before = try entriesBefore(path, key, fields)
                gone += before.subtracting(after)
                new += after.subtracting(before)
            } catch {
                let (parent, document, _) = key.columns
                calls.append(
                    Call(ServerSQL.deleteEntriesOfDocument, [.integer(row.number), .text(parent), .text(document)]))
                new += after
            }
        }
        let insert = isTolerant ? ServerSQL.insertEntries : ServerSQL.insertNewEntries
        for (sql, entries) in [(ServerSQL.deleteEntries, gone), (insert, new)] where !entries.isEmpty {
            calls.append(Call(sql, [.integer(row.number)] + IndexEntry.columns(of: entries)))
        }
        return calls
    }

    /// Returns the entries of a document before this transaction.
    ///
    /// - Throws: `DATA_LOSS` if its fields cannot be read.
    private func entriesBefore(
        _ path: DocumentPath, _ key: RowKey, _ fields: [DeclaredField]
    ) throws(StoreError) -> Set<IndexEntry> {
        guard let document = initial[path] else { return [] }
        let automatic = row.isIndexed ? try FieldEntry.entries(of: document.fields(at: path), at: path) : nil
        return try IndexEntry.entries(of: document, at: path, key, automatic: automatic, declared: fields)
    }

    /// Returns the columns `parent`, `document` and `collection`.
    private static func columns(of keys: [RowKey]) -> [Parameter] {
        let columns = keys.map(\.columns)
        return [.texts(columns.map(\.parent)), .texts(columns.map(\.document)), .texts(columns.map(\.collection))]
    }
}
