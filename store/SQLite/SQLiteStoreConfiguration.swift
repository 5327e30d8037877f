/// How the SQLite engine opens its file.
public struct SQLiteStoreConfiguration: Sendable {
    /// The database file, made when missing; its directory must be there.
    public var path: String
    /// How many reads may run at once.
    public var readers: Int
    /// The indexes that the file has once it is open: made when missing, dropped when no longer named.
    public var fieldIndexes: [FieldIndex]
    /// How many commits share one transaction, at most.
    public var maximumGroupSize: Int
    /// Where commit times come from; they increase even when the clock goes back.
    public var clock: @Sendable () -> Timestamp

    public init(
        path: String, readers: Int = 4, fieldIndexes: [FieldIndex] = [], maximumGroupSize: Int = 256,
        clock: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.path = path
        self.readers = readers
        self.fieldIndexes = fieldIndexes
        self.maximumGroupSize = maximumGroupSize
        self.clock = clock
    }
}
