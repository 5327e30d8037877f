import DequeModule
import DocumentStore

/// The documents that the last groups of a committer have written, so that the next ones need not read them: a message
/// is accepted, and settled a moment later.
///
/// They are the present ones while nobody else commits. The database's row tells that under its lock, because each
/// commit gives it a later time. If others have committed, those stay that they have not changed.
struct WrittenDocuments {
    /// The greatest number of documents.
    private static let most = 512
    /// The size in bytes beyond which a document is not kept.
    private static let longest = 16_384
    /// The time after the last group for which the changes of others are kept at least, by this machine's clock and by
    /// the server's, which may be set.
    static let longestGap = Duration.seconds(1_800)

    /// The database's number as the last group has left it; `nil` before the first.
    private var number: Int64?
    /// The time of the last group's last commit.
    private var lastCommit = Timestamp.distantPast
    /// The end of the last group.
    private var end = ContinuousClock.now
    /// The last row of `changes` up to ``lastCommit``; `nil` if it is not known.
    private var lastChange: ChangedPaths.Mark?
    private var documents: [DocumentPath: StoredDocument] = [:]
    /// The paths in the order in which documents are dropped. Those of documents that were deleted may be among them.
    private var order: Deque<DocumentPath> = []
    /// The period of the groups so far.
    private(set) var period = CommitPeriod()

    /// Returns `true` if nobody else has committed before a row was locked.
    func arePresent(in row: DatabaseRow) -> Bool { row.number == number && row.lastCommit == lastCommit }

    /// Returns the moment after the last group's last commit, if all that others have committed since, up to a locked
    /// row, can be read; `nil` if it cannot, or if there is nothing.
    func start(before row: DatabaseRow) -> ChangedPaths.Start? {
        guard row.number == number, row.lastCommit > lastCommit, ContinuousClock.now - end < Self.longestGap,
            let lastChange
        else { return nil }
        return ChangedPaths.Start(time: lastCommit, mark: lastChange)
    }

    /// Notes the row that a group has locked.
    ///
    /// - Returns: the period that begins with it if others have committed before; `nil` if the last one goes on.
    mutating func newPeriod(at row: DatabaseRow) -> CommitPeriod? {
        guard !arePresent(in: row) else { return nil }
        period = period.next
        return period
    }

    /// Notes the row that a group has locked, and what others have changed before.
    ///
    /// - Returns: the period that begins with it.
    mutating func follow(_ row: DatabaseRow, _ changes: ChangedPaths) -> CommitPeriod {
        for path in changes.paths { documents[path] = nil }
        lastCommit = row.lastCommit
        lastChange = changes.last ?? lastChange
        period = period.next
        return period
    }

    /// Forgets the documents, and that no others have committed.
    mutating func forget() {
        (number, lastChange, documents, order) = (nil, nil, [:], [])
    }

    /// Returns those at the paths.
    func documents(at paths: [DocumentPath]) -> [DocumentPath: StoredDocument] {
        var found: [DocumentPath: StoredDocument] = [:]
        for path in paths { if let document = documents[path] { found[path] = document } }
        return found
    }

    /// Keeps what a group has written that was committed.
    ///
    /// - Parameter token: that of the group's changes.
    mutating func didCommit(_ group: CommitGroup, token: Int64) {
        if !arePresent(in: group.before) || group.before.number != group.row.number {
            documents = [:]
            order = []
            lastChange = nil
        }
        if let time = group.lastChange { lastChange = ChangedPaths.Mark(time: time, token: token) }
        (number, lastCommit, end) = (group.row.number, group.row.lastCommit, .now)
        group.forEachWritten { path, document in
            let kept = document.flatMap { $0.json.count <= Self.longest ? $0 : nil }
            if kept != nil, documents[path] == nil { order.append(path) }
            documents[path] = kept
        }
        while order.count > Self.most { documents[order.removeFirst()] = nil }
    }
}
