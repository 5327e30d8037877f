/// A commit that waits for its group, and the callback for its result.
package struct PendingCommit: Sendable {
    package enum Work: Sendable {
        /// Writes with their conditions.
        case writes([KeyedWrite], CommitOptions)
        /// No change; the result is that of the commit with this name, or `NOT_FOUND`.
        case outcome(CommitIdentity)
        /// The removal of all documents of the database.
        case removal
        /// No change; later commits have later times than this one.
        case moment(Timestamp)
    }

    package let database: DatabaseID
    package let work: Work
    package let completion: @Sendable (Result<CommitResult, StoreError>) -> Void

    package init(
        database: DatabaseID, work: Work, completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        self.database = database
        self.work = work
        self.completion = completion
    }

    /// `true` if the commit is not to be applied, because nobody waits for its result.
    package var isAbandoned: Bool {
        if case .writes(_, let options) = work, let isAwaited = options.isAwaited { !isAwaited() } else { false }
    }

    /// Returns `true` if the commit is not to be applied, because it depends on what others have changed.
    ///
    /// - Parameter period: the present one.
    package func isOutdated(in period: CommitPeriod) -> Bool {
        guard case .writes(_, let options) = work else { return false }
        if let own = options.period, own != period { return true }
        return options.isCurrent?() == false
    }

    /// The number of writes up to which a commit is short.
    private static let fewWrites = 16

    /// `true` if the commit may take long: it has many writes or one that is not short, or depends on the results of
    /// queries.
    var mayTakeLong: Bool {
        guard case .writes(let writes, let options) = work else { return false }
        if writes.count > Self.fewWrites || options.reads?.queries.isEmpty == false { return true }
        return writes.contains { $0.write.mayTakeLong }
    }
}
