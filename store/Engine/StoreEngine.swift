/// The core of an engine: the commits, the changes and the times of its databases. Whatever clients see is derived from
/// it, in the same way for each engine.
package protocol StoreEngine: DocumentEngine {
    /// `true` once the engine is closed.
    var isClosed: Bool { get }

    /// Queues a commit behind those that are under way. It fails with `UNAVAILABLE` if the engine is closed.
    func submit(_ commit: PendingCommit)

    /// Returns a listener for the changes of the database's documents from now on.
    func listener(to database: DatabaseID) -> ChangeListener

    /// Adds a watcher, which is notified of each commit that may concern it.
    func add(_ watcher: Watcher)

    /// Returns the time of a commit that all reads of the database from now on contain, with all commits before it.
    func readTime(of database: DatabaseID) -> Timestamp

    /// Returns the time of the clock from which commits have their times.
    func clockTime() async throws(StoreError) -> Timestamp

    /// Returns the times of the database's last commit and of its last change.
    func lastTimes(of database: DatabaseID) async throws(StoreError) -> LastTimes
}

/// The times up to which a database has commits and changes.
package struct LastTimes: Sendable {
    /// The time of the last commit.
    package let commit: Timestamp
    /// The time of the last commit that changed a document, or a later one if it is not known.
    package let change: Timestamp

    package init(commit: Timestamp, change: Timestamp) {
        self.commit = commit
        self.change = change
    }
}

/// The ages of earlier states.
package enum StateAge {
    /// The age at which states become unreadable.
    static let readable = Duration.seconds(60 * 60)
    /// The age at which earlier documents and outcomes of transactions are deleted. It is greater than that of readable
    /// states, so that a state stays readable for some time after a reader has begun with it.
    private static let kept = Duration.seconds(70 * 60)

    /// Returns the time of the earliest state of which nothing has been deleted because of its age.
    package static func oldestKept(at now: Timestamp) -> Timestamp { now.adding(.zero - kept) }
}

extension StoreEngine {
    /// Removes all documents of a database in one commit of constant size: the database gets another number, which no
    /// row has. The rows of the old number are deleted afterwards.
    public func removeAll(from database: DatabaseID) async throws(StoreError) {
        _ = try await commit(.removal, to: database)
    }

    /// Returns the present time, once no later commit, of any process, can have a time that is not after it. It waits
    /// for the commits that are under way.
    func presentTime(of database: DatabaseID) async throws(StoreError) -> Timestamp {
        guard !isClosed else { throw .closed }
        let now = try await clockTime()
        if now > readTime(of: database) { _ = try await commit(.moment(now), to: database) }
        return max(now, readTime(of: database))
    }

    /// Waits until no later commit has a time that is not after the given one, so that the state at this time is
    /// complete.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the time is in the future; `FAILED_PRECONDITION` if it is too long ago.
    func settle(_ database: DatabaseID, at time: Timestamp) async throws(StoreError) {
        let now = try await clockTime()
        let last = try await lastTimes(of: database)
        guard time <= max(now, last.commit) else {
            throw .invalid("The requested 'read_time' cannot be in the future.")
        }
        // The present state may be of any age.
        let isPresent = time >= last.commit || time >= last.change
        guard isPresent || time >= now.adding(.zero - StateAge.readable) else { throw .tooOld }
        if time > last.commit { _ = try await commit(.moment(time), to: database) }
    }

    private func commit(_ work: PendingCommit.Work, to database: DatabaseID) async throws(StoreError) -> CommitResult {
        let result = await withCheckedContinuation { continuation in
            submit(PendingCommit(database: database, work: work) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }
}
