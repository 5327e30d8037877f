/// The settings of a SQLite engine.
public struct SQLiteStoreConfiguration: Sendable {
    /// The path of the database file, which is created if it is missing. Its directory must exist.
    public var path: String
    /// The greatest number of long reads that run at once. The default is 4.
    public var readers: Int
    /// The indexes of the open file. Opening creates those that are missing and drops those that are no longer
    /// declared.
    public var fieldIndexes: [FieldIndex]
    /// Returns `true` for the databases with an index by each field of each collection. Opening writes the entries that
    /// are missing and removes those that are no longer wanted. Each change of a document then also writes an entry for
    /// each field that it changes. The default is no database.
    public var indexesFields: @Sendable (DatabaseID) -> Bool
    /// The greatest number of commits in one transaction. The default is 256.
    public var maximumGroupSize: Int
    /// The time after which a transaction takes no more commits, so that others need not wait for all of them. The
    /// default is 100 ms.
    public var maximumGroupTime: Duration
    /// The time for which ``QueryResults`` can be read. The log of the file grows while one state is kept. The default
    /// is 270 seconds.
    public var resultLifetime: Duration
    /// Returns `true` for the databases whose earlier states can be read for one hour, and whose transactions are
    /// compared with the changes in memory. Each change then also writes the document as it was before. The default is
    /// all databases but ``DatabaseID/gateway``.
    public var keepsVersions: @Sendable (DatabaseID) -> Bool
    /// The greatest size of all earlier versions of documents, in bytes. Beyond it, earlier states become unreadable
    /// sooner. The default is 1 GiB.
    public var versionBytes: Int64
    /// The source of commit times. They increase even if the clock is set back.
    public var clock: @Sendable () -> Timestamp

    /// Makes settings. Only the path has no default.
    public init(
        path: String, readers: Int = 4, fieldIndexes: [FieldIndex] = [],
        indexesFields: @escaping @Sendable (DatabaseID) -> Bool = { _ in false }, maximumGroupSize: Int = 256,
        maximumGroupTime: Duration = .milliseconds(100),
        resultLifetime: Duration = .seconds(270),
        keepsVersions: @escaping @Sendable (DatabaseID) -> Bool = { $0 != .gateway },
        versionBytes: Int64 = 1_073_741_824, clock: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.path = path
        self.readers = readers
        self.fieldIndexes = fieldIndexes
        self.indexesFields = indexesFields
        self.maximumGroupSize = maximumGroupSize
        self.maximumGroupTime = maximumGroupTime
        self.resultLifetime = resultLifetime
        self.keepsVersions = keepsVersions
        self.versionBytes = versionBytes
        self.clock = clock
    }
}
