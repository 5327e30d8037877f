import Synchronization
import TestDoubles
import Testing

@testable import DocumentStore
@testable import Functions

@Suite("Runs: queries", .timeLimit(.minutes(10)))
struct RunsIndexTests {
    /// Returns the queries of runs for due and pending documents and of the clean-up, without those of the outbox.
    private func queries() async throws -> [Query] {
        let bench = try RunsBench()
        let seen = Mutex<[Query]>([])
        bench.store.set { hooks in
            hooks.beforeQuery = { query throws(StoreError) in
                if query.filter != nil, query.scope.name.hasPrefix("run") { seen.withLock { $0.append(query) } }
            }
        }
        try await bench.running {
            try await eventually("a query is seen") { !seen.withLock(\.isEmpty) }
            _ = try await bench.report("event-1", "run_cancelled")
        }
        try await bench.system.cleanUp()
        return seen.withLock { $0 }
    }

    @Test("Each query of runs over many documents uses an index")
    func plans() async throws {
        let disk = try TemporaryStore(clock: ManualClock(), fieldIndexes: Runs.fieldIndexes)
        let queries = try await queries()
        #expect(queries.count >= 5)
        for query in queries {
            let plan = try await disk.engine.plan(of: query, in: disk.documents.database)
            #expect(plan.contains { $0.hasPrefix("SEARCH") && $0.contains("documents_by_value") }, "\(plan)")
            #expect(plan.allSatisfy { !$0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }
}
