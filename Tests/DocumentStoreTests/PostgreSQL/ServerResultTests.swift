import DocumentStore
import Logging
import TestBasics
import Testing

@testable import PostgreSQLStore

@Suite("PostgreSQL: results in pieces", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct ServerResultTests {
    private let all: Query

    init() throws { all = .collection(try CollectionPath("t")) }

    /// Runs the body with an engine whose database has documents with the field `n` from 0 up.
    private func withEngine(
        _ count: Int, in database: DatabaseID = .app, lifetime: Duration = .seconds(270), isIndexed: Bool = false,
        looksEvery interval: Duration = .seconds(1),
        _ body: (PostgreSQLEngine, PostgreSQLDocumentStore) async throws -> Void
    ) async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let configuration = PostgreSQLStoreConfiguration(
            url: url, connections: 3, indexesFields: { _ in isIndexed }, resultLifetime: lifetime,
            pollInterval: interval)
        let engine = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        do {
            let writes = try (0..<count).map { number in
                Write.set(try DocumentPath("t/\(10_000 + number)"), ["n": .integer(Int64(number))])
            }
            _ = try await engine.store(for: database).commit(writes)
            try await body(engine, engine.store(for: database))
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    private func ids(_ results: QueryResults) async throws -> [String] {
        var ids: [String] = []
        while let piece = try await results.next() { ids += piece.map(\.path.id) }
        return ids
    }

    @Test("A result whose time is over fails with ABORTED, and leaves its connection to the next one")
    func expiry() async throws {
        try await withEngine(2_000, lifetime: .zero) { _, store async throws in
            for _ in 0..<20 { await expectError(.aborted) { try await store.results(of: all) } }
            #expect(try await store.count(all) == 2_000)
        }
    }

    @Test("A request to end a search for documents that match is taken before the next page")
    func interruption() async throws {
        try await withEngine(200) { engine, _ async throws in
            let none = try PlannedQuery(all.where("n", .equal, .integer(-1)), in: .app)
            let found = try await engine.pool.run { connection in
                let interruption = Interruption()
                connection.interruption = interruption
                defer { connection.interruption = nil }
                let reading = QueryReading(
                    query: none, source: StateSource(database: .app, time: nil), entries: nil, connection: connection,
                    unreadable: engine.unreadable)
                var pages = reading.pages(from: .names(after: nil))
                let first = try pages.next(connection)
                interruption.set()
                let error = #expect(throws: StoreError.self) { try pages.next(connection) }
                #expect(error?.code == .cancelled)
                return first
            }
            #expect(found?.isEmpty == true)
        }
    }

    @Test("The search for documents that match leaves the connections of short reads after a mebibyte")
    func search() async throws {
        try await withEngine(0, lifetime: .zero) { _, store async throws in
            let text = Value.string(String(repeating: "x", count: 20_000))
            let writes = try (0..<200).map { number in
                Write.set(try DocumentPath("t/\(10_000 + number)"), ["n": .integer(Int64(number)), "text": text])
            }
            _ = try await store.commit(writes)
            let few = all.where("n", .equal, .integer(3)).limited(to: 1)
            #expect(try await ids(try await store.results(of: few)) == ["10003"])
            let none = all.where("n", .equal, .integer(-1))
            await expectError(.aborted) { try await store.results(of: none) }
        }
    }

    @Test("Results wait for a connection if all are in use, and get one when another result ends")
    func waiting() async throws {
        try await withEngine(2_000, in: .gateway) { _, store async throws in
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 {
                    group.addTask { try await ids(try await store.results(of: all)).count }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == Array(repeating: 2_000, count: 40))
        }
    }

    @Test(
        "Results whose consumers stop give their connections to others, and continue in the same state",
        arguments: [false, true])
    func stopped(isIndexed: Bool) async throws {
        try await withEngine(1_000, isIndexed: isIndexed) { _, store async throws in
            let query = all.ordered(by: isIndexed ? "n" : .documentName, .descending)
            var stopped: [(results: QueryResults, ids: [String])] = []
            for _ in 0..<18 {
                let results = try await store.results(of: query.limited(to: 700))
                stopped.append((results, try await results.next()?.map(\.path.id) ?? []))
            }
            _ = try await store.commit([
                .delete(DocumentPath("t/10500")), .set(DocumentPath("t/9"), ["n": .integer(5_000)]),
            ])
            #expect(try await ids(try await store.results(of: query)).count == 1_000)
            let expected = (0..<700).map { "\(10_999 - $0)" }
            for (results, first) in stopped { #expect(try await first + ids(results) == expected) }
        }
    }

    @Test("A result that lost its connection fails if the database does not keep its versions")
    func overtaken() async throws {
        try await withEngine(2_000, in: .gateway) { _, store async throws in
            var stopped: [QueryResults] = []
            for _ in 0..<17 {
                let results = try await store.results(of: all)
                #expect(try await results.next() != nil)
                stopped.append(results)
            }
            _ = try await store.commit([.set(DocumentPath("t/new"), [:])])
            await expectError(.aborted) { try await stopped[0].next() }
        }
    }

    @Test("Documents with equal values come in the order of their names across pages, and in that of the second field")
    func ties() async throws {
        try await withEngine(0, isIndexed: true) { _, store async throws in
            let writes = try (0..<1_000).map { number in
                Write.set(
                    try DocumentPath("t/\(10_000 + number)"),
                    ["n": .integer(Int64(number / 300)), "m": .integer(Int64(-number))])
            }
            _ = try await store.commit(writes)
            let byName = try await ids(try await store.results(of: all.ordered(by: "n")))
            #expect(byName == (0..<1_000).map { "\(10_000 + $0)" })
            let expected = (0..<1_000).sorted { ($0 / 300, -$0) < ($1 / 300, -$1) }.map { "\(10_000 + $0)" }
            #expect(try await ids(try await store.results(of: all.ordered(by: "n").ordered(by: "m"))) == expected)
        }
    }

    @Test("A page of large documents has few of them")
    func size() async throws {
        try await withEngine(0) { _, store async throws in
            let text = Value.string(String(repeating: "x", count: 200_000))
            for start in stride(from: 0, to: 120, by: 40) {
                let writes = try (start..<start + 40).map { Write.set(try DocumentPath("t/\($0)"), ["text": text]) }
                _ = try await store.commit(writes)
            }
            let results = try await store.results(of: all)
            var counts: [Int] = []
            while let piece = try await results.next() { counts.append(piece.count) }
            #expect(counts.reduce(0, +) == 120)
            #expect(counts.first == 64 && counts.dropFirst().allSatisfy { $0 <= 16 })
        }
    }

    @Test("A result over all collections comes from one cursor, in the order of names")
    func descendants() async throws {
        try await withEngine(600) { _, store async throws in
            let writes = try (0..<400).map { Write.set(try DocumentPath("t/10000/u/\(1_000 + $0)"), ["n": .null]) }
            _ = try await store.commit(writes)
            let query = Query.descendants(of: nil)
            let results = try await store.results(of: query)
            _ = try await store.commit([.delete(DocumentPath("t/10001"))])
            let names = try await ids(results)
            let nested = (0..<400).map { "\(1_000 + $0)" }
            #expect(names == ["10000"] + nested + (1..<600).map { "\(10_000 + $0)" })
            var cut = query
            cut.offset = 401
            #expect(try await ids(try await store.results(of: cut)).first == "10002")
        }
    }

    @Test("Reads and queries that arrive together are all answered at once, also when nothing else happens")
    func mixed() async throws {
        // A read that nobody was woken for would wait for the next look at other gateways' commits.
        try await withEngine(20, looksEvery: .seconds(3_600)) { _, store async throws in
            for _ in 0..<100 {
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            guard number % 2 == 0 else { return try await store.count(all) == 20 }
                            return try await store.document(at: DocumentPath("t/10001")) != nil
                        }
                    }
                    for try await isRight in group { #expect(isRight) }
                }
                #expect(try await store.document(at: DocumentPath("t/10002")) != nil)
            }
        }
    }
}
