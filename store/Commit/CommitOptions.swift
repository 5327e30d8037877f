/// The conditions of a commit beside those of its writes.
public struct CommitOptions: Sendable {
    /// The reads of a transaction, which must be unchanged; `nil` for none.
    public var reads: TransactionReads?
    /// The name under which the engine keeps the result for an hour, so that it is also the answer to a repetition;
    /// `nil` to keep none.
    public var identity: CommitIdentity?
    /// Returns `false` as soon as nobody waits for the result. A commit whose turn comes then fails with `CANCELLED`,
    /// and nothing of it is applied. `nil` for a commit that takes effect in any case.
    public var isAwaited: (@Sendable () -> Bool)?
    /// The period in which the commit has to be applied, because it depends on what was known in it. It fails with
    /// ``StoreError/outdated`` if another engine has committed before it. `nil` for any; only engines that share their
    /// databases have periods.
    package var period: CommitPeriod?
    /// Returns `false` if another engine has changed what the commit depends on, which then fails with
    /// ``StoreError/outdated``. An engine that shares its databases calls it when it knows of all commits before this
    /// one. `nil` if the commit depends on nothing of that kind.
    package var isCurrent: (@Sendable () -> Bool)?
    /// The values that the commit may write.
    package var values = ValueTypes.bson

    /// Makes the options of a commit; without arguments, those of a commit without conditions.
    public init(
        ifUnchanged reads: TransactionReads? = nil, identity: CommitIdentity? = nil,
        isAwaited: (@Sendable () -> Bool)? = nil
    ) {
        self.reads = reads
        self.identity = identity
        self.isAwaited = isAwaited
    }
}

extension CommitOptions {
    /// Returns the options of a commit that depends on what other engines may change: on a period, and on what a
    /// closure tells; `nil` for nothing.
    package static func during(_ period: CommitPeriod?, while isCurrent: (@Sendable () -> Bool)?) -> CommitOptions {
        var options = CommitOptions()
        (options.period, options.isCurrent) = (period, isCurrent)
        return options
    }

    /// The options of a commit of documents that another store has, which may be of an earlier version.
    package static var transfer: CommitOptions {
        var options = CommitOptions()
        options.values = .stored
        return options
    }
}

/// The name of the only commit of a transaction. A client that has received no answer repeats the commit, and the
/// engine recognizes it by this name, also after a restart.
public struct CommitIdentity: Hashable, Sendable {
    /// The id of the transaction, which no other transaction of any process has, and which nobody can guess.
    public let transaction: [UInt8]
    /// A digest of the writes. A commit of other writes in the same transaction is not a repetition.
    public let digest: [UInt8]

    /// Takes both as they are. Engines store them and compare them.
    public init(transaction: [UInt8], digest: [UInt8]) {
        self.transaction = transaction
        self.digest = digest
    }
}

extension StoreError {
    /// The error of a commit that nobody awaited when its turn came.
    package static let abandoned = StoreError(.cancelled, "The client has gone before the turn of its commit.")
}
