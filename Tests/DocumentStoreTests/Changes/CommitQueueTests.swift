import Testing

@testable import DocumentStore

@Suite("Commit queue")
struct CommitQueueTests {
    private let queue = CommitQueue()

    /// Appends commits, named by the project of their database and their number: a1, b1, a2. Those of the gateway's own
    /// database are o1, o2.
    private func append(_ names: String...) {
        for name in names {
            let time = Timestamp(microseconds: Int64(name.dropFirst()) ?? 0)
            let database = name.hasPrefix("o") ? .gateway : DatabaseID(project: String(name.prefix(1)))
            _ = queue.append(PendingCommit(database: database, work: .moment(time)) { _ in }) {}
        }
    }

    /// Appends a commit of the writes, whose name is "?".
    private func append(_ writes: [Write], to project: String, _ options: CommitOptions = CommitOptions()) throws {
        let work = PendingCommit.Work.writes(try KeyedWrite.keyed(writes), options)
        _ = queue.append(PendingCommit(database: DatabaseID(project: project), work: work) { _ in }) {}
    }

    private func names(_ commits: some Sequence<PendingCommit>) -> [String] {
        commits.map { commit in
            guard case .moment(let time) = commit.work else { return "?" }
            let name = commit.database == .gateway ? "o" : commit.database.project
            return "\(name)\(time.microseconds)"
        }
    }

    private func next(_ most: Int) -> [String]? { queue.nextGroup(maximumSize: most).map(names) }

    @Test("The databases take turns, and the commits of one keep their order")
    func turns() {
        append("a1", "a2", "a3", "a4", "b1", "c1", "b2")
        #expect(queue.count == 7)
        #expect(next(4) == ["a1", "b1", "c1", "a2"])
        append("c2")
        #expect(next(10) == ["b2", "a3", "c2", "a4"])
        #expect(next(10) == nil)
        #expect(queue.count == 0)
    }

    @Test("The commits of one database alone form whole groups")
    func alone() {
        append("a1", "a2", "a3")
        #expect(next(2) == ["a1", "a2"])
        #expect(next(2) == ["a3"])
        #expect(next(2) == nil)
    }

    @Test("The next group takes the place of the last one")
    func usedAgain() {
        var group: [PendingCommit] = []
        append("a1", "a2", "a3")
        let (isFirst, first) = (queue.nextGroup(maximumSize: 2, into: &group), names(group))
        let (isSecond, second) = (queue.nextGroup(maximumSize: 2, into: &group), names(group))
        let isThird = queue.nextGroup(maximumSize: 2, into: &group)
        #expect(isFirst && isSecond && !isThird)
        #expect(first == ["a1", "a2"] && second == ["a3"] && group.isEmpty)
    }

    @Test("Commits that are put back come before the later ones of their databases")
    func putBack() throws {
        append("a1", "a2", "b1", "b2")
        let group = try #require(queue.nextGroup(maximumSize: 3))
        #expect(names(group) == ["a1", "b1", "a2"])
        append("c1", "a3")
        queue.putBack(group, after: 1)
        #expect(queue.count == 5)
        #expect(next(10) == ["b1", "a2", "c1", "b2", "a3"])
        #expect(next(10) == nil)
    }

    @Test("The gateway's own database has every second turn, however many others have commits")
    func ownTurns() {
        append("a1", "b1", "c1", "d1", "a2", "o1", "o2", "o3")
        #expect(next(4) == ["o1", "a1", "o2", "b1"])
        append("o4", "e1")
        #expect(next(10) == ["o3", "c1", "o4", "d1", "a2", "e1"])
        #expect(next(10) == nil)
    }

    @Test("A commit of the gateway's own database that arrives during a long one comes next, and only one does")
    func ownCommitDuringLongOne() throws {
        append("a1", "b1", "c1", "d1")
        let group = try #require(queue.nextGroup(maximumSize: 10))
        append("o1", "o2")
        queue.putBack(group, after: 1)
        let later = try #require(queue.nextGroup(maximumSize: 10))
        #expect(names(later) == ["o1", "b1", "o2", "c1", "d1"])
        queue.putBack(later, after: 1)
        // Long commits of its own do not keep the others from their turns either.
        #expect(next(2) == ["b1", "o2"])
        #expect(next(10) == ["c1", "d1"])
        #expect(next(10) == nil)
    }

    @Test("A commit of the gateway's own database does not wait for a long one of its group", arguments: [false, true])
    func longCommits(comparesElements: Bool) throws {
        let union = FieldTransform("a", .arrayUnion([.null]))
        let writes: [Write] =
            try comparesElements
            ? [.merge(DocumentPath("t/d"), [:], mask: [], transforms: [union])]
            : (0..<17).map { .delete(try DocumentPath("t/\($0)")) }
        append("o1", "o2", "b1")
        try append(writes, to: "b")
        try append(writes, to: "c")
        #expect(next(10) == ["o1", "b1", "o2"])
        append("o3")
        #expect(next(1) == ["?"])
        #expect(next(10) == ["o3"])
        #expect(next(10) == ["?"])
        #expect(next(10) == nil)
        #expect(queue.count == 0)
    }

    @Test("Short commits of the gateway's own database wait for one long commit of others, however many they are")
    func manyOwnCommits() throws {
        let long = try (0..<17).map { Write.delete(try DocumentPath("t/\($0)")) }
        append("o1", "o2", "o3", "o4", "o5")
        for project in ["a", "a", "b"] { try append(long, to: project) }
        // As many as a group may have.
        #expect(next(4) == ["o1", "o2", "o3", "o4"])
        // The other database still has the next turn.
        let group = try #require(queue.nextGroup(maximumSize: 10))
        #expect(names(group) == ["?", "o5"])
        #expect(group.first?.database.project == "a")
        append("o6", "o7")
        // There was time for the long one alone.
        queue.putBack(group, after: 1)
        #expect(next(10) == ["o5", "o6", "o7"])
        let last = try #require(queue.nextGroup(maximumSize: 10))
        #expect(last.map(\.database.project) == ["b", "a"])
        #expect(next(10) == nil)
        #expect(queue.count == 0)
    }

    /// Returns the names of the group that begins with a commit of the gateway's own database, if another one waits.
    private func groupBefore(_ write: Write, _ options: CommitOptions = CommitOptions()) throws -> [String]? {
        append("o1")
        try append([write], to: "a", options)
        let group = next(10)
        if group?.count == 1 { #expect(next(10) == ["?"]) }
        #expect(next(10) == nil)
        return group
    }

    @Test("A commit of one write is long for a long text, many fields or the result of a query, and for nothing else")
    func longContents() throws {
        let (path, alone, joined) = (try DocumentPath("t/d"), ["o1"], ["o1", "?"])
        func text(_ size: Int) -> Write { .set(path, ["text": .string(String(repeating: "x", count: size))]) }
        #expect(try groupBefore(text(65_536)) == alone)
        #expect(try groupBefore(text(65_000)) == joined)
        func names(_ count: Int) -> [String] { (0..<count).map { "f\($0)" } }
        func mask(_ count: Int) -> Write { .merge(path, [:], mask: names(count).map { FieldPath($0) }) }
        #expect(try groupBefore(mask(1_001)) == alone)
        #expect(try groupBefore(mask(1_000)) == joined)
        func fields(_ count: Int) -> Write { .merge(path, Fields(names(count).map { ($0, Value.null) })) }
        #expect(try groupBefore(fields(1_001)) == alone)
        #expect(try groupBefore(fields(1_000)) == joined)
        var reads = TransactionReads(at: .now)
        reads.add([path])
        #expect(try groupBefore(text(1), CommitOptions(ifUnchanged: reads)) == joined)
        reads.add(.collection(try CollectionPath("t")))
        #expect(try groupBefore(text(1), CommitOptions(ifUnchanged: reads)) == alone)
    }

    @Test("Many databases leave nothing behind")
    func manyDatabases() {
        for letter in "abcdefghijklmnopqrstuvwxyz" { append("\(letter)1") }
        #expect(next(100)?.count == 26)
        append("a2", "z2")
        #expect(next(100) == ["a2", "z2"])
        #expect(next(100) == nil)
    }
}
