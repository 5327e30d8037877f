/// The bounds of the lists in requests, beside the size of a request. Production has no such bounds, and no client of
/// it comes near them.
enum RequestLimits {
    /// The fields of a mask or of a query's `select`. A document in production has no more entries in indexes.
    static let fields = 40_000
    /// The names in the paths of these fields together. A selection keeps a tree of them, which costs the same for each
    /// name, however short it is.
    static let names = 2 * fields
    /// The writes of a commit, as in the store.
    static let writes = 16_384
    /// The writes of a batch, as in production.
    static let batchWrites = 500
    /// The values, names and messages of which a request consists. A value has four bytes at least, so there are at
    /// most 2,621,440 in 10 MiB, or some more with the 349,000 paths that the masks of a commit have together.
    static let elements = 3_000_000
    /// The same for a request of a Listen stream. It is one query, or names of documents. Such a stream shares its
    /// thread with all calls, and keeps the target.
    static let targetElements = 65_536

    /// Checks the number of fields of a mask or of a `select`.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there are too many.
    static func check(fields count: Int) throws(FirestoreStatus) {
        guard count <= fields else {
            throw .invalid("A mask or a select has at most \(fields) fields, not \(count).")
        }
    }

    /// Checks the names in the paths of a mask or of a `select`.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there are too many.
    static func check(names count: Int) throws(FirestoreStatus) {
        guard count <= names else {
            throw .invalid("The fields of a mask or a select have at most \(names) names together.")
        }
    }
}
