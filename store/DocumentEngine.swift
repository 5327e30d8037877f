/// Several databases in one engine.
public protocol DocumentEngine: Sendable {
    /// Returns the store of a database. Any name is taken: a database begins to exist with its first document.
    func store(for database: DatabaseID) -> any DocumentStore

    /// Returns the databases that contain documents.
    func databases() async throws(StoreError) -> [DatabaseID]

    /// Removes all documents of a database in one commit, which takes as long as any other. Transactions that have read
    /// the database before are aborted, and its earlier states cannot be read any longer. The engine erases the data
    /// afterwards.
    ///
    /// - Throws: `RESOURCE_EXHAUSTED` if the disk is full.
    func removeAll(from database: DatabaseID) async throws(StoreError)

    /// Finishes the commits that were accepted, and ends all watches. Later calls of the engine's stores fail with
    /// `UNAVAILABLE`.
    func close() async

    /// The place of this process among those that share the engine's databases; `nil` if it has them for itself.
    var membership: (any Membership)? { get }

    /// The files of the databases if they are open in this process; `nil` if another one has them.
    var watchedFiles: (any WatchedFiles)? { get }
}

/// The files of an engine, which somebody may remove, replace or cut off while it is open.
public protocol WatchedFiles: Sendable {
    /// `true` if the files were lost while the engine was open.
    var hasLostFiles: Bool { get }

    /// Looks whether the files are still those at their paths, as each commit does.
    ///
    /// - Throws: `UNAVAILABLE` if one of them was removed, replaced or cut off. Then no commit is accepted any more.
    func checkFiles() async throws(StoreError)
}
