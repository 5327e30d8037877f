/// A connection on which results are read in pieces, one result after the other.
package protocol ResultConnection: AnyObject, Sendable {
    /// The connection for those who are on its queue.
    associatedtype Handle
    associatedtype OpenResult: ResultRows where OpenResult.Handle == Handle

    /// Runs a closure on the connection's queue, after those before it, and returns at once. Its argument is a failure
    /// if the connection is closed, or cannot be opened.
    func run(_ body: @escaping @Sendable (Result<Handle, StoreError>) -> Void)
    /// Interrupts what is being read, if the engine can do that.
    func interrupt()
    /// Begins a transaction all of whose statements see one state.
    static func beginReading(_ handle: Handle) throws
    static func endReading(_ handle: Handle)
    func close()
}

/// The rows of a result, which are read piece by piece in one transaction.
package protocol ResultRows {
    associatedtype Handle

    /// Returns the next documents; `nil` after the last.
    mutating func next(_ handle: Handle) throws -> [Document]?
    /// The query for the documents that are left; `nil` if they are in memory.
    var rest: PlannedQuery? { get }
    /// Releases what would keep the transaction from ending.
    func end()
}
