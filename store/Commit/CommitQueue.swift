import DequeModule
import Synchronization

/// The commits that wait for the writer. The next group collects here while the writer writes one.
///
/// The databases take turns, and the commits of one database follow each other. So the commits of one client do not
/// wait for all those of another one. As clients can name any number of databases, ``DatabaseID/gateway`` has every
/// second turn, and all turns before a commit of theirs that may take long. So its commits wait for one of theirs,
/// however many databases there are.
package final class CommitQueue: Sendable {
    fileprivate struct State {
        /// The waiting commits of each database, in their order.
        var waiting: [DatabaseID: Deque<PendingCommit>] = [:]
        /// The databases with waiting commits.
        var turns = DatabaseTurns()
        var count = 0
        var isDraining = false
        var isClosed = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Appends a commit.
    ///
    /// - Parameter drain: called if the queue is not being drained, to start the drain. It must return at once.
    /// - Returns: `false` if the queue is closed; it does not contain the commit then.
    package func append(_ commit: PendingCommit, drain: () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.append(commit)
            // Inside the lock, so that a drain that this starts is scheduled before the queue can be closed.
            if !state.isDraining { drain() }
            state.isDraining = true
            return true
        }
    }

    /// Returns the next commits; `nil` if there are none, which ends the drain.
    package func nextGroup(maximumSize: Int) -> [PendingCommit]? {
        var group: [PendingCommit] = []
        return nextGroup(maximumSize: maximumSize, into: &group) ? group : nil
    }

    /// Fills a group with the next commits, in place of those that it has.
    ///
    /// - Returns: `false` if there are none, which ends the drain. The group is empty then.
    package func nextGroup(maximumSize: Int, into group: inout [PendingCommit]) -> Bool {
        group.removeAll(keepingCapacity: true)
        return state.withLock { state in
            guard state.count > 0 else {
                state.isDraining = false
                return false
            }
            state.take(maximumSize, into: &group)
            return true
        }
    }

    /// Puts back the end of the last group, for which there was no time.
    ///
    /// - Parameters:
    ///   - group: the whole group.
    ///   - count: the number of its commits that have their results, at least one.
    package func putBack(_ group: [PendingCommit], after count: Int) {
        guard count < group.count else { return }
        state.withLock { $0.putBack(group[count...], after: group[..<count].last?.database) }
    }

    /// Rejects commits from now on. Those in the queue stay.
    ///
    /// - Returns: `false` if the queue was closed before.
    package func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// The number of waiting commits.
    package var count: Int { state.withLock(\.count) }

    package var isClosed: Bool { state.withLock(\.isClosed) }
}

extension CommitQueue.State {
    /// The number of databases up to which the memory of an empty line is kept for the next commits.
    private static var fewDatabases: Int { 16 }

    mutating func append(_ commit: PendingCommit) {
        if waiting[commit.database]?.isEmpty ?? true { turns.append(commit.database) }
        waiting[commit.database, default: []].append(commit)
        count += 1
    }

    /// Moves the next commits to an empty group, one of each database after the other. A group ends before a commit
    /// that may take long if it has one of the gateway's own database, whose result would wait for both. The other
    /// commits of the gateway's own database come first then, so that they do not wait for one long commit each.
    mutating func take(_ most: Int, into group: inout [PendingCommit]) {
        var hasOwn = false
        group.reserveCapacity(min(most, count))
        while group.count < most, let database = turns.popFirst() {
            if database == .gateway { hasOwn = true }
            // Alone, a database has all turns.
            var length = turns.isEmpty ? most - group.count : 1
            if hasOwn, database != .gateway { length = shortCommits(of: database, atMost: length) }
            guard length > 0 else {
                turns.putBack(database)
                let room = most - group.count
                if turns.popOwn() { move(shortCommits(of: .gateway, atMost: room), of: .gateway, to: &group) }
                break
            }
            move(length, of: database, to: &group)
        }
        count -= group.count
    }

    /// Returns the number of short commits with which a database's line begins.
    private func shortCommits(of database: DatabaseID, atMost most: Int) -> Int {
        waiting[database]?.prefix(most).prefix { !$0.mayTakeLong }.count ?? 0
    }

    /// Moves the first commits of a database, whose turn has been removed, to a group. Its later ones get another turn.
    private mutating func move(_ length: Int, of database: DatabaseID, to group: inout [PendingCommit]) {
        guard var line = waiting.removeValue(forKey: database) else { return }
        let moved = min(length, line.count)
        group.append(contentsOf: line.prefix(moved))
        line.removeFirst(moved)
        if !line.isEmpty { turns.append(database) }
        if !line.isEmpty || waiting.count < Self.fewDatabases { waiting[database] = line }
    }

    mutating func putBack(_ commits: ArraySlice<PendingCommit>, after last: DatabaseID?) {
        for commit in commits.reversed() {
            waiting[commit.database, default: []].prepend(commit)
            turns.prepend(commit.database)
        }
        turns.isOwnNext = last != .gateway
        count += commits.count
    }
}

/// The order in which databases with waiting commits have their turns.
private struct DatabaseTurns {
    /// `true` if the gateway's own database has waiting commits.
    private var hasOwn = false
    /// `true` if the last turn was one of another database.
    var isOwnNext = true
    private var others: Deque<DatabaseID> = []

    var isEmpty: Bool { !hasOwn && others.isEmpty }

    mutating func append(_ database: DatabaseID) {
        if database == .gateway { hasOwn = true } else { others.append(database) }
    }

    /// Gives a database, which may have a turn already, the next turn among the others.
    mutating func prepend(_ database: DatabaseID) {
        guard database != .gateway else { return hasOwn = true }
        others.removeAll { $0 == database }
        others.prepend(database)
    }

    /// Gives back the turn of another database, which has just been removed.
    mutating func putBack(_ database: DatabaseID) {
        others.prepend(database)
        isOwnNext = false
    }

    /// Removes the gateway's own database before its turn. Returns `false` if it has no waiting commits.
    mutating func popOwn() -> Bool {
        defer { hasOwn = false }
        return hasOwn
    }

    /// Removes the database whose turn it is; `nil` if there is none.
    mutating func popFirst() -> DatabaseID? {
        if hasOwn, isOwnNext || others.isEmpty {
            (hasOwn, isOwnNext) = (false, false)
            return .gateway
        }
        isOwnNext = true
        return others.popFirst()
    }
}
