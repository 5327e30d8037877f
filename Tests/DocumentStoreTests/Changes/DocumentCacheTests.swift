import Synchronization
import Testing

@testable import DocumentStore

@Suite("Cached documents")
struct DocumentCacheTests {
    private static let server = "servers/s"
    private static let agent = "servers/s/agents/a"
    private static let devices = "servers/s/agents/a/devices"

    private static func disk(mostBytes: Int = DocumentCache.usualBytes, isShared: Bool = false) -> Disk {
        Disk(
            [server: 1, agent: 1, devices + "/d": 1, devices + "/e": 1], mostBytes: mostBytes, isShared: isShared)
    }

    // MARK: What is kept

    @Test("What was read once is not read again")
    func known() async throws {
        let disk = Self.disk()
        let first = try await disk.answer()
        #expect(first == Numbers(named: [1, 1], matching: [1, 1]))
        for _ in 0..<3 { #expect(try await disk.answer() == first) }
        #expect(disk.readCount == 1)
    }

    @Test(
        "A commit that creates, changes or removes one of the documents is in the next answer",
        arguments: [server, agent, devices + "/d", devices + "/new"], [2, nil])
    func changed(path: String, number: Int?) async throws {
        let disk = Self.disk()
        _ = try await disk.answer()
        try disk.commit([path: number])
        #expect(try await disk.answer() == disk.visible)
        #expect(disk.readCount == 2)
    }

    @Test(
        "A commit to other documents changes nothing",
        arguments: [
            "servers/t", "servers/s/agents/b", "servers/s/agents/b/devices/d", "servers/s/agents/a/devices/d/notes/n",
            "devices/d", "messages/m", "serversx/s",
        ])
    func unrelated(path: String) async throws {
        let disk = Self.disk()
        _ = try await disk.answer()
        try disk.commit([path: 2])
        _ = try await disk.answer()
        #expect(disk.readCount == 1)
    }

    @Test("A commit to the same paths of another database changes nothing, and neither does its removal")
    func otherDatabase() async throws {
        let disk = Self.disk()
        _ = try await disk.answer()
        var changes = try Disk.changes([Self.server], in: .gateway)
        changes.append(ChangedDocuments.Removal(database: .gateway, number: 1, time: .distantPast))
        disk.caches.willChange(changes)
        disk.caches.didChange()
        _ = try await disk.answer()
        #expect(disk.readCount == 1)
    }

    @Test("Nothing is kept if a document at a path is missing, or the collection is larger than asked for")
    func notKept() async throws {
        for documents in [[Self.server: 1], [Self.agent: 1], [:]] as [[String: Int]] {
            let disk = Disk(documents)
            for _ in 0..<2 { #expect(try await disk.answer() == disk.visible) }
            #expect(disk.readCount == 2)
            #expect(disk.cache.isEmpty)
        }
        let disk = Self.disk()
        for _ in 0..<2 { _ = try await disk.answer(upTo: 1) }
        #expect(disk.readCount == 2)
        #expect(disk.cache.isEmpty)
        // A kept collection is no answer to a caller that wants a smaller one.
        _ = try await disk.answer(upTo: 2)
        _ = try await disk.answer(upTo: 1)
        #expect(disk.readCount == 4)
    }

    @Test("A collection without documents is kept")
    func emptyCollection() async throws {
        let disk = Disk([Self.server: 1, Self.agent: 1])
        for _ in 0..<2 { #expect(try await disk.answer() == Numbers(named: [1, 1], matching: [])) }
        #expect(disk.readCount == 1)
    }

    @Test("Documents below another root collection are not kept")
    func otherRoot() async throws {
        let disk = Disk(["rooms/s": 1, "rooms/s/agents/a": 1])
        for _ in 0..<2 { _ = try await disk.answer(of: "rooms/s") }
        #expect(disk.readCount == 2)
        #expect(disk.cache.isEmpty)
    }

    // MARK: Commits at the same time

    /// The stages of a commit: nothing, announced, visible, announced again.
    private static let stages = 0...3

    /// The stages at which a read begins, sees a state, and ends.
    private static let reads: [Stages] = stages.flatMap { begin -> [Stages] in
        (begin...3).flatMap { state in (state...3).map { Stages(begin: begin, state: state, end: $0) } }
    }

    struct Stages: Sendable, CustomTestStringConvertible {
        let begin: Int
        let state: Int
        let end: Int

        var testDescription: String { "\(begin) \(state) \(end)" }
    }

    @Test(
        "Whenever a read begins, sees its state and ends during a commit, nothing older than the visible state is kept",
        arguments: reads, [server, devices + "/d", devices + "/new"])
    func overlapping(read: Stages, path: String) async throws {
        let disk = Self.disk()
        let commit = try SteppedCommit([path: 2], to: disk)
        commit.advance(to: read.begin)
        _ = try await disk.answer {
            commit.advance(to: read.state)
        } after: {
            commit.advance(to: read.end)
        }
        for stage in read.end...3 {
            commit.advance(to: stage)
            let kept = try await disk.kept()
            #expect(kept == nil || kept == disk.visible, "at stage \(stage)")
        }
        #expect(try await disk.answer() == disk.visible)
        #expect(try await disk.kept() == disk.visible)
    }

    @Test(
        "Whenever a read overlaps with a commit that fails, the state before it is kept afterwards", arguments: reads)
    func failed(read: Stages) async throws {
        let disk = Self.disk()
        let commit = try SteppedCommit([Self.agent: 2], to: disk, isApplied: false)
        commit.advance(to: read.begin)
        _ = try await disk.answer {
            commit.advance(to: read.state)
        } after: {
            commit.advance(to: read.end)
        }
        commit.advance(to: 3)
        #expect(try await disk.answer() == Numbers(named: [1, 1], matching: [1, 1]))
        #expect(try await disk.kept() == disk.visible)
    }

    @Test("Whenever a read overlaps with the removal of all documents, none of them is kept", arguments: reads)
    func removal(read: Stages) async throws {
        let disk = Self.disk()
        _ = try await disk.answer()
        let commit = SteppedCommit(removalFrom: disk)
        commit.advance(to: read.begin)
        _ = try await disk.answer {
            commit.advance(to: read.state)
        } after: {
            commit.advance(to: read.end)
        }
        for stage in read.end...3 {
            commit.advance(to: stage)
            let kept = try await disk.kept()
            #expect(kept == nil || kept == disk.visible, "at stage \(stage)")
        }
        #expect(try await disk.answer() == Numbers(named: [nil, nil], matching: []))
    }

    @Test("A cache that is made between the announcements of a commit keeps nothing older either", arguments: 1...2)
    func newCache(stage: Int) async throws {
        let disk = Self.disk()
        let commit = try SteppedCommit([Self.agent: 2], to: disk)
        commit.advance(to: stage)
        let cache = DocumentCache(of: "servers", in: Disk.database, mostBytes: 1 << 20)
        disk.caches.add(cache)
        _ = try await disk.answer(by: cache)
        commit.advance(to: 3)
        #expect(try await disk.answer(by: cache) == disk.visible)
    }

    @Test("A read that began before a commit does not replace what a later read has kept")
    func lateEnd() async throws {
        let disk = Self.disk()
        let old = try await disk.answer {
        } after: {
            try? disk.commit([Self.devices + "/d": nil])
            let new = try? await disk.answer()
            #expect(new == Numbers(named: [1, 1], matching: [1]))
        }
        #expect(old == Numbers(named: [1, 1], matching: [1, 1]))
        #expect(try await disk.kept() == Numbers(named: [1, 1], matching: [1]))
    }

    @Test("Of two reads at the same time each has its own end, also if one fails")
    func failedRead() async throws {
        let disk = Self.disk()
        _ = try await disk.answer {
        } after: {
            let kept = try? await disk.kept()
            #expect(kept == nil)
            try? disk.commit([Self.server: 2, Self.agent: 2, Self.devices + "/d": 2])
        }
        #expect(try await disk.kept() == nil)
        #expect(disk.cache.isEmpty)
        #expect(try await disk.answer() == disk.visible)
    }

    // MARK: Engines that share their databases

    @Test("Only an answer from the memory of an engine that shares its databases has a mark, with the present period")
    func periods() async throws {
        let alone = Self.disk()
        for _ in 0..<2 {
            let isMarked = try await alone.mark() != nil
            #expect(!isMarked)
        }
        let disk = Self.disk(isShared: true)
        #expect(try await disk.mark()?.period == nil)
        #expect(try await disk.mark()?.period == CommitPeriod())
        let next = CommitPeriod().next
        disk.caches.begin(next, afterChangesAt: [])
        #expect(try await disk.mark()?.period == next)
        #expect(disk.readCount == 1)
        #expect(next != CommitPeriod() && next != next.next)
    }

    @Test(
        "What others have changed is read again, and ends the marks of earlier answers that have it",
        arguments: [[server], [agent], [devices + "/d"], ["servers/t", devices + "/new"], nil] as [[String]?])
    func changedByOthers(paths: [String]?) async throws {
        let disk = Self.disk(isShared: true)
        _ = try await disk.answer()
        let mark = try #require(try await disk.mark())
        #expect(mark.isCurrent())
        for path in paths ?? [Self.server] { disk.apply([path: 2]) }
        disk.caches.begin(CommitPeriod().next, afterChangesAt: try paths?.map { try DocumentPath($0) })
        #expect(!mark.isCurrent())
        #expect(try await disk.kept() == nil)
        #expect(try await disk.answer() == disk.visible)
        #expect(try await disk.mark()?.isCurrent() == true)
        #expect(!mark.isCurrent())
    }

    @Test("What others change elsewhere ends no mark, as long as it is remembered")
    func changedElsewhere() async throws {
        let disk = Self.disk(isShared: true)
        _ = try await disk.answer()
        let mark = try #require(try await disk.mark())
        let elsewhere = ["messages/m", "servers/t", "servers/s/agents/b", Self.devices + "/d/notes/n"]
        disk.caches.begin(CommitPeriod().next, afterChangesAt: try elsewhere.map { try DocumentPath($0) })
        #expect(mark.isCurrent())
        #expect(try await disk.kept() == disk.visible)
        let other = try DocumentPath("servers/t")
        for _ in 0..<OthersChanges.most / 8 {
            disk.caches.begin(CommitPeriod(), afterChangesAt: Array(repeating: other, count: 8))
        }
        #expect(!mark.isCurrent())
        #expect(try await disk.mark()?.isCurrent() == true)
    }

    @Test("A read that began before a change by others is not kept", arguments: [[server], nil] as [[String]?])
    func readMeanwhile(paths: [String]?) async throws {
        let disk = Self.disk(isShared: true)
        _ = try await disk.answer {
        } after: {
            disk.apply([Self.server: 2])
            let changed = paths?.compactMap { try? DocumentPath($0) }
            disk.caches.begin(CommitPeriod().next, afterChangesAt: changed)
        }
        #expect(try await disk.kept() == nil)
        #expect(try await disk.answer() == disk.visible)
        #expect(try await disk.kept() == disk.visible)
    }

    // MARK: Memory

    @Test("The memory is bounded, and what is used all the time stays")
    func bound() async throws {
        let disk = Disk([:], mostBytes: 100_000)
        for number in 0..<200 {
            let server = "servers/\(number)"
            try disk.commit([server: 1, server + "/agents/a": 1, server + "/agents/a/devices/d": 1])
        }
        for number in 0..<200 {
            _ = try await disk.answer(of: "servers/\(number)")
            _ = try await disk.answer(of: "servers/0")
            #expect(disk.cache.bytes <= 100_000)
        }
        #expect(disk.readCount == 200)
        #expect(disk.cache.bytes > 10_000)
        for number in 0..<200 { try disk.commit(["servers/\(number)/agents/a/devices/d": nil]) }
        for number in 0..<200 { try disk.commit(["servers/\(number)": 2, "servers/\(number)/agents/a": 2]) }
        #expect(disk.cache.bytes == 0 && disk.cache.isEmpty)
    }

    @Test("An answer that would take more than a sixteenth of the memory is not kept")
    func largeAnswer() async throws {
        let disk = Self.disk(mostBytes: 8_000)
        for _ in 0..<2 { _ = try await disk.answer() }
        #expect(disk.readCount == 2)
        #expect(disk.cache.isEmpty)
    }
}

/// The numbers in the documents of an answer.
private struct Numbers: Hashable, Sendable {
    var named: [Int?] = []
    var matching: [Int] = []
}

/// Documents in memory, each with a number, whose commits a test takes apart.
private final class Disk: Sendable {
    static let database = DatabaseID(project: "test")

    let caches = DocumentCaches()
    let cache: DocumentCache
    private let numbers: Mutex<[String: Int]>
    private let reads = Mutex(0)

    init(_ numbers: [String: Int], mostBytes: Int = DocumentCache.usualBytes, isShared: Bool = false) {
        self.numbers = Mutex(numbers)
        cache = DocumentCache(of: "servers", in: Self.database, mostBytes: mostBytes, isShared: isShared)
        caches.add(cache)
    }

    /// The number of reads that the cache has not answered.
    var readCount: Int { reads.withLock(\.self) }

    /// The numbers of the documents of the server `s` as they are now.
    var visible: Numbers { (try? read("servers/s").map(Self.number)) ?? Numbers() }

    static func changes(
        _ paths: some Sequence<String>, in database: DatabaseID = Disk.database
    ) throws(StoreError) -> ChangedDocuments {
        var changes = ChangedDocuments()
        for path in paths {
            changes.append(
                ChangedDocument(
                    database: database, path: try DocumentPath(path), before: nil, after: nil, time: .distantPast))
        }
        return changes
    }

    func commit(_ new: [String: Int?]) throws(StoreError) {
        caches.willChange(try Self.changes(new.keys))
        apply(new)
        caches.didChange()
    }

    func apply(_ new: [String: Int?]) {
        numbers.withLock { numbers in
            for (path, number) in new { numbers[path] = number }
        }
    }

    func removeAll() { numbers.withLock { $0 = [:] } }

    /// Returns the numbers of a server, its agent `a` and the agent's devices.
    ///
    /// - Parameters:
    ///   - before: runs in a read before it sees a state.
    ///   - after: runs before the read ends.
    func answer(
        of server: String = "servers/s", upTo most: Int = 10, by cache: DocumentCache? = nil,
        before: () async -> Void = {}, after: () async -> Void = {}
    ) async throws(StoreError) -> Numbers {
        let (paths, devices) = try Self.paths(server)
        let answer = try await (cache ?? self.cache).documents(at: paths, all: devices, upTo: most) {
            () async throws(StoreError) in
            reads.withLock { $0 += 1 }
            await before()
            let answer = try read(server)
            await after()
            return (answer.named, answer.matching)
        }
        return Self.number(Answer(named: answer.named, matching: answer.matching))
    }

    /// Returns the mark of the cache's answer; `nil` if it has none.
    func mark() async throws(StoreError) -> DocumentCache.Mark? {
        let (paths, devices) = try Self.paths("servers/s")
        let answer = try await cache.documents(at: paths, all: devices, upTo: 10) { () async throws(StoreError) in
            reads.withLock { $0 += 1 }
            let answer = try read("servers/s")
            return (answer.named, answer.matching)
        }
        return answer.mark
    }

    /// Returns the answer that the cache has; `nil` if it would have to read.
    func kept() async throws(StoreError) -> Numbers? {
        let (paths, devices) = try Self.paths("servers/s")
        do throws(StoreError) {
            let answer = try await cache.documents(at: paths, all: devices, upTo: 10) {
                () async throws(StoreError) in throw StoreError(.internal, "a read")
            }
            return Self.number(Answer(named: answer.named, matching: answer.matching))
        } catch {
            guard error.code == .internal else { throw error }
            return nil
        }
    }

    private struct Answer {
        let named: [Document?]
        let matching: [Document]

        func map<Result>(_ transform: (Answer) -> Result) -> Result { transform(self) }
    }

    private static func paths(
        _ server: String
    ) throws(StoreError) -> (paths: [DocumentPath], devices: CollectionPath) {
        let path = try DocumentPath(server)
        let agent = try path.document("a", in: "agents")
        return ([path, agent], try agent.collection("devices"))
    }

    private func read(_ server: String) throws(StoreError) -> Answer {
        let (paths, devices) = try Self.paths(server)
        let numbers = numbers.withLock(\.self)
        let matching = numbers.compactMap { try? DocumentPath($0.key) }.filter { $0.isIn(devices) }.sorted()
        func document(_ path: DocumentPath) -> Document? {
            numbers[path.description].map { number in
                Document(
                    path: path, fields: ["number": .integer(Int64(number))], createTime: .distantPast,
                    updateTime: .distantPast)
            }
        }
        return Answer(named: paths.map(document), matching: matching.compactMap(document))
    }

    private static func number(_ answer: Answer) -> Numbers {
        func number(_ document: Document) -> Int? { document["number"]?.integer.map { Int($0) } }
        return Numbers(
            named: answer.named.map { $0.flatMap(number) }, matching: answer.matching.compactMap(number))
    }
}

/// A commit that a test takes from stage to stage: 1 is announced, 2 is visible, 3 is announced again.
private final class SteppedCommit: Sendable {
    private let disk: Disk
    private let changes: ChangedDocuments
    private let apply: @Sendable () -> Void
    private let stage = Mutex(0)

    init(_ new: [String: Int?], to disk: Disk, isApplied: Bool = true) throws(StoreError) {
        self.disk = disk
        changes = try Disk.changes(new.keys)
        apply = { if isApplied { disk.apply(new) } }
    }

    init(removalFrom disk: Disk) {
        self.disk = disk
        var changes = ChangedDocuments()
        changes.append(ChangedDocuments.Removal(database: Disk.database, number: 1, time: .distantPast))
        self.changes = changes
        apply = { disk.removeAll() }
    }

    func advance(to end: Int) {
        let steps = stage.withLock { stage in
            defer { stage = max(stage, end) }
            return stage..<max(stage, end)
        }
        for step in steps {
            switch step {
            case 0: disk.caches.willChange(changes)
            case 1: apply()
            default: disk.caches.didChange()
            }
        }
    }
}
