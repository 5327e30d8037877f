import DocumentStore

/// An open transaction: its mode, the moment that its reads see, and what it has read.
struct Transaction: Sendable {
    enum Mode: Hashable, Sendable { case readOnly, readWrite }

    typealias Instant = ContinuousClock.Instant

    /// The greatest age of a transaction, and the greatest time without a use, which are Firestore's.
    private static let life = Duration.seconds(270)
    private static let idleLife = Duration.seconds(60)

    let database: DatabaseID
    let mode: Mode
    private let began: Instant
    private var used: Instant
    /// The moment that all reads see; `nil` before the first one.
    private(set) var readTime: Timestamp?
    /// The reads to check at the commit; `nil` if there were none.
    private(set) var reads: TransactionReads?
    /// The number of commits under way: more than one if a client repeats its commit without waiting for the answer.
    private var commits = 0

    /// Makes a transaction.
    ///
    /// - Parameter readTime: the moment that its reads see; `nil` for that of the first read.
    init(of database: DatabaseID, mode: Mode, readTime: Timestamp? = nil, at instant: Instant) {
        self.database = database
        self.mode = mode
        self.readTime = readTime
        began = instant
        used = instant
    }

    /// Returns `true` if the transaction is too old, or was not used for too long.
    func isExpired(at instant: Instant) -> Bool {
        began.duration(to: instant) > Self.life || used.duration(to: instant) > Self.idleLife
    }

    mutating func use(at instant: Instant) { used = instant }

    /// `true` while a commit is under way.
    var isCommitting: Bool { commits > 0 }

    mutating func beginCommit() { commits += 1 }

    mutating func endCommit() { commits -= 1 }

    /// Returns the moment that all reads see. The first call decides it.
    mutating func decideReadTime(_ present: @autoclosure () -> Timestamp) -> Timestamp {
        if let readTime { return readTime }
        let time = present()
        readTime = time
        return time
    }

    /// Adds documents to what was read, found or missing.
    mutating func note(_ paths: [DocumentPath]) {
        beginReads()
        reads?.add(paths)
    }

    /// Adds the result of a query to what was read.
    mutating func note(_ query: Query) {
        beginReads()
        reads?.add(query)
    }

    /// A transaction that only reads never conflicts, so it need not remember.
    private mutating func beginReads() {
        guard reads == nil, mode == .readWrite, let readTime else { return }
        reads = TransactionReads(at: readTime)
    }
}
