/// The work that one commit makes for the writer, which all other commits wait for. It is counted in about the time
/// that a byte of a stored document takes to be read, changed and written again.
struct CommitWork: Sendable {
    /// The bound of one commit, 64 MiB. Firestore's own bound, 10 MiB of changed documents, is narrower.
    static let limit = 64 << 20
    /// The cost of a write, which takes places in the table and in its indexes.
    private static let write = 4_096
    /// The cost of a transform, or of a field in a mask: 349,000 are the bound of one commit.
    private static let field = 192
    /// The cost of an entry in an automatic index.
    private static let entry = 512

    private var sum = 0

    /// Adds a write.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the commit is too large.
    mutating func add(_ write: Write) throws(StoreError) {
        try add(Self.write + Self.field * (write.transforms.count + write.operation.maskedFields))
    }

    /// Adds the entries of a document in the automatic indexes.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the commit is too large.
    mutating func add(entries count: Int) throws(StoreError) { try add(Self.entry * count) }

    /// Adds bytes of a document that was read, or the cost of a comparison.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the commit is too large.
    mutating func add(_ cost: Int) throws(StoreError) {
        sum += cost
        guard sum <= Self.limit else { throw Self.tooMuch }
    }

    private static var tooMuch: StoreError {
        .invalid(
            "The commit is too large: it changes too many documents, or too large ones, or compares the elements of "
                + "too large arrays. Divide its writes among several commits.")
    }
}

extension Write.Operation {
    /// The number of fields in the mask.
    fileprivate var maskedFields: Int {
        if case .merge(_, let mask?) = self { mask.count } else { 0 }
    }
}
