import Synchronization
import Testing

@testable import DocumentStore

@Suite("SQLite: cached documents", .timeLimit(.minutes(10)))
struct ExactCacheTests {
    private static let server = "servers/s"
    private static let agent = "servers/s/agents/a"
    private static let devices = "servers/s/agents/a/devices"

    /// Reads by a cache, and the numbers in what it returns.
    private struct Reader: Sendable {
        let store: SQLiteDocumentStore
        let cache: DocumentCache
        let reads = Counted()

        init(_ engine: SQLiteEngine, _ database: DatabaseID) {
            store = engine.store(for: database)
            cache = engine.cache(of: "servers", in: database)
        }

        /// Returns the numbers of the server, the agent and the devices; 0 for a document without one.
        func numbers() async throws -> [Int64] {
            let paths = [try DocumentPath(ExactCacheTests.server), try DocumentPath(ExactCacheTests.agent)]
            let devices = try CollectionPath(ExactCacheTests.devices)
            let answer = try await cache.documents(at: paths, all: devices, upTo: 500) {
                () async throws(StoreError) in
                reads.add()
                return try await store.documents(at: paths, matching: .collection(devices).limited(to: 501))
            }
            return (answer.named.compactMap(\.self) + answer.matching).map { $0["n"]?.integer ?? 0 }
        }
    }

    private final class Counted: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock(\.self) }
        func add() { value.withLock { $0 += 1 } }
    }

    private static func writes(_ number: Int64) throws -> [Write] {
        try [server, agent, devices + "/d"].map { .set(try DocumentPath($0), ["n": .integer(number)]) }
    }

    private static func withReader(
        _ database: DatabaseID = .gateway, _ body: (SQLiteEngine, Reader) async throws -> Void
    ) async throws {
        let engine = try SQLiteFixture().open()
        do {
            try await body(engine, Reader(engine, database))
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    @Test("A read after a commit has it, and no read has a part of a commit, while others read and write")
    func exact() async throws {
        try await Self.withReader { _, reader in
            _ = try await reader.store.commit(try Self.writes(0))
            let ends = Counted()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var last: Int64 = 0
                        while ends.count == 0 {
                            let numbers = try await reader.numbers()
                            #expect(numbers.count == 3 && Set(numbers).count == 1)
                            #expect(numbers.first.map { $0 >= last } == true)
                            last = numbers.first ?? last
                            await Task.yield()
                        }
                    }
                }
                // Commits of other documents, which share groups with those below.
                group.addTask {
                    let other = try DocumentPath("servers/t")
                    for number in 0..<200 {
                        _ = try await reader.store.commit([.set(other, ["n": .integer(Int64(number))])])
                    }
                }
                group.addTask {
                    defer { ends.add() }
                    for number in 1...200 as ClosedRange<Int64> {
                        _ = try await reader.store.commit(try Self.writes(number))
                        #expect(try await reader.numbers() == [number, number, number])
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Nothing is read between two commits, and each commit is followed by one read")
    func reads() async throws {
        try await Self.withReader { _, reader in
            for number in 1...3 as ClosedRange<Int64> {
                _ = try await reader.store.commit(try Self.writes(number))
                for _ in 0..<5 { #expect(try await reader.numbers() == [number, number, number]) }
                #expect(reader.reads.count == Int(number))
            }
            _ = try await reader.store.commit([.set(try DocumentPath("messages/m"), [:])])
            _ = try await reader.numbers()
            #expect(reader.reads.count == 3)
        }
    }

    @Test("A device that is removed, added or changed is missing, there or changed in the next read")
    func devices() async throws {
        try await Self.withReader { _, reader in
            _ = try await reader.store.commit(try Self.writes(1))
            _ = try await reader.numbers()
            let device = try DocumentPath(Self.devices + "/d")
            _ = try await reader.store.commit([.delete(device)])
            #expect(try await reader.numbers() == [1, 1])
            _ = try await reader.store.commit([.set(device, ["n": .integer(2)])])
            #expect(try await reader.numbers() == [1, 1, 2])
            _ = try await reader.store.commit([.merge(device, ["n": .integer(3)])])
            #expect(try await reader.numbers() == [1, 1, 3])
        }
    }

    @Test("A commit that fails, alone or in a group, leaves what is known, and does not keep a later one out")
    func failed() async throws {
        try await Self.withReader { engine, reader in
            _ = try await reader.store.commit(try Self.writes(1))
            _ = try await reader.numbers()
            let missing = Write.update(try DocumentPath("servers/missing"), [:])
            await #expect(throws: StoreError.self) {
                _ = try await reader.store.commit(try Self.writes(2) + [missing])
            }
            #expect(try await reader.numbers() == [1, 1, 1])
            #expect(reader.reads.count == 1)
            _ = try await engine.commitTogether([try Self.writes(3), try Self.writes(4) + [missing]])
            #expect(try await reader.numbers() == [3, 3, 3])
        }
    }

    @Test("After the removal of a database nothing of it is known, and other databases are")
    func removal() async throws {
        try await Self.withReader(.app) { engine, reader in
            let other = Reader(engine, .gateway)
            for store in [reader.store, other.store] { _ = try await store.commit(try Self.writes(1)) }
            _ = try await (reader.numbers(), other.numbers())
            try await engine.removeAll(from: .app)
            #expect(try await reader.numbers().isEmpty)
            _ = try await reader.store.commit(try Self.writes(2))
            #expect(try await reader.numbers() == [2, 2, 2])
            #expect(try await other.numbers() == [1, 1, 1])
            #expect(other.reads.count == 1)
        }
    }
}
