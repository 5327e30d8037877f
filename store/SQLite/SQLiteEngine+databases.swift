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

    /// `nil`, because a file is open in one engine at a time.
    public var membership: (any Membership)? { nil }

    /// The file and those beside it.
    public var watchedFiles: (any WatchedFiles)? { self }
}

extension SQLiteEngine: StoreEngine {
    package var isClosed: Bool { committer.isClosed }

    package func submit(_ commit: PendingCommit) { committer.commit(commit) }

    package func listener(to database: DatabaseID) -> ChangeListener {
        listeners.listener(to: database, since: committer.readTime)
    }

    package func add(_ watcher: Watcher) { watchers.add(watcher) }

    /// Returns the time of a commit of any database, as all databases have one writer.
    package func readTime(of database: DatabaseID) -> Timestamp { committer.readTime }

    package func clockTime() -> Timestamp { configuration.clock() }

    package func lastTimes(of database: DatabaseID) -> LastTimes {
        let commit = committer.readTime
        return LastTimes(commit: commit, change: lastChanges.time(of: database) ?? commit)
    }

    /// Returns a new cache for the documents below a root collection of a database. It lives as long as the engine.
    ///
    /// - Parameters:
    ///   - root: the id of the root collection.
    ///   - mostBytes: the bound of its memory.
    package func cache(
        of root: String, in database: DatabaseID, mostBytes: Int = DocumentCache.usualBytes
    ) -> DocumentCache {
        let cache = DocumentCache(of: root, in: database, mostBytes: mostBytes)
        caches.add(cache)
        return cache
    }

    /// The time of the earliest state of which no version has been deleted because of its age.
    var oldestKept: Timestamp { StateAge.oldestKept(at: clockTime()) }
}
