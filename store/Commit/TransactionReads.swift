/// The reads of a transaction, all from the state at one time.
public struct TransactionReads: Sendable {
    /// The time of the state.
    public let time: Timestamp
    package private(set) var paths: Set<DocumentPath> = []
    package private(set) var queries: [Query] = []

    /// Begins without reads. All that are added must be from the state at `time`.
    public init(at time: Timestamp) { self.time = time }

    /// Adds documents, found or missing.
    public mutating func add(_ paths: [DocumentPath]) { self.paths.formUnion(paths) }

    /// Adds the result of a query, or of an aggregation over it.
    public mutating func add(_ query: Query) { queries.append(query) }

    package var isEmpty: Bool { paths.isEmpty && queries.isEmpty }
}
