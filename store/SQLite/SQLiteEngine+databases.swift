import GRDB

extension SQLiteEngine: DocumentEngine {
    /// Returns the store of one database. The function of the same name that returns a ``SQLiteDocumentStore`` comes
    /// first where both fit.
    @_disfavoredOverload
    public func store(for database: DatabaseID) -> any DocumentStore {
        SQLiteDocumentStore(database: database, engine: self)
    }

    /// Returns the databases that contain documents, in the order of their names. Costs one seek for each database that
    /// the file has ever contained.
    public func databases() async throws(StoreError) -> [DatabaseID] {
        try await read(SQLStatements.databases)
    }

    /// Removes all documents of a database in one commit of constant size: the database gets another number. Its rows
    /// are deleted afterwards, in small transactions between the commits.
    public func removeAll(from database: DatabaseID) async throws(StoreError) {
        _ = try await commit(.removal, to: database)
    }

    /// Queues the question for the outcome of a transaction behind the commits that are under way.
    func outcome(
        of identity: CommitIdentity, in database: DatabaseID,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        committer.commit(PendingCommit(database: database, work: .outcome(identity), completion: completion))
    }

    private func commit(_ work: PendingCommit.Work, to database: DatabaseID) async throws(StoreError) -> CommitResult {
        let result = await withCheckedContinuation { continuation in
            committer.commit(
                PendingCommit(database: database, work: work) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    // MARK: Earlier states

    /// The age at which states become unreadable.
    private static let readableAge = Duration.seconds(60 * 60)

    /// The time of the earliest state of which no version has been deleted because of its age.
    var oldestKept: Timestamp { configuration.clock().adding(.zero - Sweeper.age) }

    /// Waits until no later commit has a time that is not after the given one, so that the state at this time is
    /// complete.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the time is in the future; `FAILED_PRECONDITION` if it is too long ago.
    func settle(_ database: DatabaseID, at time: Timestamp) async throws(StoreError) {
        let (now, readTime) = (configuration.clock(), self.readTime)
        guard time <= max(now, readTime) else {
            throw .invalid("The requested 'read_time' cannot be in the future.")
        }
        // The present state may be of any age.
        let isPresent = time >= readTime || lastChanges.isUnchanged(database, since: time)
        guard isPresent || time >= now.adding(.zero - Self.readableAge) else { throw .tooOld }
        if time > readTime { _ = try await commit(.moment(time), to: database) }
    }

    /// Returns the present time, once no later commit can have a time that is not after it.
    func presentTime(of database: DatabaseID) async throws(StoreError) -> Timestamp {
        let (now, readTime) = (configuration.clock(), self.readTime)
        if now > readTime { _ = try await commit(.moment(now), to: database) }
        return max(now, readTime)
    }
}
