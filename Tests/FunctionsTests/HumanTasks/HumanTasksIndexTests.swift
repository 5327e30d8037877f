import HTTPTypes
import JSON
import Synchronization
import TestDoubles
import Testing

@testable import DocumentStore
@testable import Functions

@Suite("Human tasks: queries", .timeLimit(.minutes(10)))
struct HumanTasksIndexTests {
    /// Returns the queries of the lists, of deletion by age and of the clean-up.
    private func queries() async throws -> [Query] {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        _ = try await bench.ask(phone)
        let seen = Mutex<[Query]>([])
        bench.store.set { hooks in
            hooks.beforeQuery = { query throws(StoreError) in
                if query.filter != nil { seen.withLock { $0.append(query) } }
            }
        }
        _ = try await bench.call(.get, "/api/hits", headers: phone.headers)
        _ = try await bench.call(.post, "/api/hits/bulk-delete", ["older_than_days": 1], headers: phone.headers)
        for job in bench.system.jobs { try await job.run() }
        return seen.withLock { $0 }
    }

    @Test("Each query of human tasks over many documents uses an index and does not sort")
    func plans() async throws {
        let disk = try TemporaryStore(clock: ManualClock(), fieldIndexes: HumanTasks.fieldIndexes)
        let queries = try await queries()
        #expect(queries.count == 3)
        for query in queries {
            let plan = try await disk.engine.plan(of: query, in: disk.documents.database)
            #expect(plan.count == 1 && plan[0].contains("USING INDEX documents_by_value"), "\(plan)")
        }
    }
}
