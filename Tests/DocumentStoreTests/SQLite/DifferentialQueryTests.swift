import TestDoubles
import Testing

@testable import DocumentStore

/// Tests of the SQL against the evaluator in memory, with random documents and queries from a small set of values.
@Suite("SQLite: queries against the evaluator")
struct DifferentialQueryTests {
    @Test(
        "The SQL of a random query returns the same documents in the same order as the evaluator",
        arguments: 1...8 as ClosedRange<UInt64>, RandomIndexes.allCases)
    func same(seed: UInt64, indexes: RandomIndexes) async throws {
        var generator = SeededGenerator(seed: seed)
        // It keeps the directory, in which the readings of results open the file again.
        let fixture = try SQLiteFixture()
        let engine = try fixture.open(
            fieldIndexes: indexes.declared, indexed: indexes.isAutomatic ? [.gateway] : [])
        let store = engine.store(for: .gateway)
        let names = SeededGenerator.fieldNames
        let writes = try (0..<150).map { _ in Write.set(try generator.path(), generator.fields(names)) }
        _ = try await store.commit(writes)
        _ = try await store.commit(try (0..<50).map { _ in try generator.change(names) })
        #expect(try await engine.staleRows(indexes.declared) == [])
        let all = try await store.everything

        var (matched, refused) = (0, 0)
        for _ in 0..<250 {
            let query = try generator.query(names)
            guard (try? PlannedQuery(query, in: .gateway)) != nil else {
                refused += 1
                await expectError(.invalidArgument) { try await store.documents(matching: query) }
                continue
            }
            let found = try await store.documents(matching: query)
            let expected = try PlannedQuery(query, in: .gateway).evaluate(over: all, in: .gateway)
            try #require(found.map(\.path) == expected.map(\.path), "\(query)")
            #expect(found.map(\.fields.json) == expected.map(\.fields.json))
            #expect(try await store.count(query) == expected.count)
            #expect(try await inPieces(query, store).map(\.path) == expected.map(\.path), "\(query)")
            let sum: [Aggregation] = [.count, .sum("f")]
            let summed = try PlannedQuery(query, for: sum, in: .gateway).evaluate(over: all, in: .gateway)
            #expect(try await store.aggregate(sum, over: query).first == .integer(Int64(summed.count)), "\(query)")
            matched += found.count
        }
        #expect(matched > 500, "too few matches for a useful test")
        #expect(refused < 100, "too few valid queries for a useful test")
        await engine.close()
        withExtendedLifetime(fixture) {}
    }

    /// Reads the result on a connection of its own, however short it is.
    private func inPieces(_ query: Query, _ store: SQLiteDocumentStore) async throws -> [Document] {
        let reading = try await store.engine.results.reading { db, query, _ in
            (.now, try store.reader(at: nil).lastingState(db).map { try FileResultRows($0.compiler(query), db) })
        }
        _ = try await reading.begin(try PlannedQuery(query, in: store.database))
        var documents: [Document] = []
        while let piece = try await reading.next() { documents += piece }
        return documents
    }
}
