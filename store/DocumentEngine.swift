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
}

extension DocumentEngine {
    /// The databases of most engines are of one process.
    public var membership: (any Membership)? { nil }
}
