import Logging
import TestDoubles
import Testing

@testable import DocumentStore

@Suite("SQLite: results in pieces", .timeLimit(.minutes(10)))
struct ResultReadingTests {
    private let fixture: SQLiteFixture
    private let all: Query

    init() throws {
        fixture = try SQLiteFixture()
        all = .collection(try CollectionPath("t"))
    }

    private func open(
        _ count: Int, lifetime: Duration = .seconds(270), logger: Logger = Logger(label: "test")
    ) async throws -> SQLiteEngine {
        let engine = try SQLiteEngine(
            SQLiteStoreConfiguration(path: fixture.path, resultLifetime: lifetime), logger: logger)
        let writes = try (0..<count).map { number in
            Write.set(try DocumentPath("t/\(10_000 + number)"), ["n": .integer(Int64(number))])
        }
        _ = try await engine.store(for: .gateway).commit(writes)
        return engine
    }

    private func ids(_ results: QueryResults) async throws -> [String] {
        var ids: [String] = []
        while let piece = try await results.next() { ids += piece.map(\.path.id) }
        return ids
    }

    @Test("A result whose time is over fails with ABORTED, and leaves its connection to the next one")
    func expiry() async throws {
        let engine = try await open(2_000, lifetime: .zero)
        let store = engine.store(for: .gateway)
        for _ in 0..<20 { await expectError(.aborted) { try await store.results(of: all) } }
        #expect(try await store.count(all) == 2_000)
        await engine.close()
    }

    @Test("A piece is limited by its size")
    func size() async throws {
        let engine = try await open(0)
        let store = engine.store(for: .gateway)
        let text = Value.string(String(repeating: "x", count: 100_000))
        for number in 0..<20 { try await store.set("t/\(number)", ["text": text]) }
        let reading = try await engine.results.reading { db, query, _ in
            (.now, try store.reader(at: nil).lastingState(db).map { try FileResultRows($0.compiler(query), db) })
        }
        _ = try await reading.begin(try PlannedQuery(all, in: .gateway))
        var counts: [Int] = []
        while let piece = try await reading.next() { counts.append(piece.count) }
        #expect(counts.reduce(0, +) == 20)
        #expect(counts.allSatisfy { $0 == 3 || $0 == 2 })
        await engine.close()
    }

    @Test("Results wait for a connection if all are in use, and get one when another result ends")
    func waiting() async throws {
        let engine = try await open(2_000)
        let store = engine.store(for: .gateway)
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 {
                group.addTask { try await ids(try await store.results(of: all)).count }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 2_000, count: 40))
        await engine.close()
    }

    @Test("Results whose consumers stop give their connections to others, and continue in the same state")
    func stopped() async throws {
        let engine = try await open(0)
        let store = engine.store(for: DatabaseID(project: "p"))
        let all = all.ordered(by: "n", .descending)
        let writes = try (0..<2_000).map { number in
            Write.set(try DocumentPath("t/\(10_000 + number)"), ["n": .integer(Int64(number))])
        }
        _ = try await store.commit(writes)
        var stopped: [(results: QueryResults, ids: [String])] = []
        for _ in 0..<40 {
            let results = try await store.results(of: all.limited(to: 1_500))
            stopped.append((results, try await results.next()?.map(\.path.id) ?? []))
        }
        // Later commits are not in the state of the results.
        _ = try await store.commit([
            .delete(DocumentPath("t/11000")), .set(DocumentPath("t/1"), ["n": .integer(5_000)]),
        ])
        #expect(try await ids(try await store.results(of: all)).count == 2_000)
        let expected = (0..<1_500).map { "\(11_999 - $0)" }
        for (results, first) in stopped { #expect(try await first + ids(results) == expected) }
        await engine.close()
    }

    @Test("A result that lost its connection fails if the database does not keep its versions")
    func overtaken() async throws {
        let engine = try await open(2_000)
        let store = engine.store(for: .gateway)
        var stopped: [QueryResults] = []
        for _ in 0..<17 {
            let results = try await store.results(of: all)
            #expect(try await results.next() != nil)
            stopped.append(results)
        }
        try await store.set("t/new", [:])
        await expectError(.aborted) { try await stopped[0].next() }
        await engine.close()
    }

    @Test(
        "An unreadable document is left out of a result in pieces, and further documents replace it",
        arguments: ["{\"n\":1}", "no JSON"])
    func unreadable(damage: String) async throws {
        let log = CollectedLog()
        let engine = try await open(2_000, logger: log.logger)
        let store = engine.store(for: .gateway)
        _ = try await engine.onWriter(
            "UPDATE documents SET fields = '\(damage)' WHERE document IN ('10003', '11500', '11999')")
        let readable = (0..<2_000).map { "\(10_000 + $0)" }.filter { !["10003", "11500", "11999"].contains($0) }
        #expect(try await ids(try await store.results(of: all)) == readable)
        let limited = try await ids(try await store.results(of: all.limited(to: 1_600)))
        #expect(limited == Array(readable.prefix(1_600)))
        #expect(try await ids(try await store.results(of: all.ordered(by: "n"))) == readable)
        await engine.close()
    }

    @Test("The log of the file starts over after a result that nobody reads any longer")
    func release() async throws {
        let engine = try await open(2_000)
        let store = engine.store(for: .gateway)
        do {
            let results = try await store.results(of: all)
            #expect(try await results.next()?.isEmpty == false)
        }
        // The transaction of the reading has ended, so a checkpoint can copy the whole log.
        try await store.set("t/new", [:])
        let busy = try await engine.onWriter("PRAGMA wal_checkpoint(RESTART)")
        #expect(busy == ["0"])
        await engine.close()
    }
}
