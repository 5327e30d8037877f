/// The settings of a SQLite engine.
public struct SQLiteStoreConfiguration: Sendable {
    /// The path of the database file, which is created if it is missing. Its directory must exist.
    public var path: String
    /// The greatest number of long reads that run at once. The default is 4.
    public var readers: Int
    /// The indexes of the open file. Opening creates those that are missing and drops those that are no longer
    /// declared.
    public var fieldIndexes: [FieldIndex]
    /// The greatest number of commits in one transaction. The default is 256.
    public var maximumGroupSize: Int
    /// The time for which ``QueryResults`` can be read. The log of the file grows while one state is kept. The default
    /// is 270 seconds.
    public var resultLifetime: Duration
    /// The source of commit times. They increase even if the clock is set back.
    public var clock: @Sendable () -> Timestamp

    /// Makes settings. Only the path has no default.
    public init(
        path: String, readers: Int = 4, fieldIndexes: [FieldIndex] = [], maximumGroupSize: Int = 256,
        resultLifetime: Duration = .seconds(270), clock: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.path = path
        self.readers = readers
        self.fieldIndexes = fieldIndexes
        self.maximumGroupSize = maximumGroupSize
        self.resultLifetime = resultLifetime
        self.clock = clock
    }
}
