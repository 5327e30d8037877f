import JSON
import Synchronization
import TestDoubles
import Testing

@testable import DocumentStore
@testable import Functions

@Suite("Sessions: queries", .timeLimit(.minutes(10)))
struct SessionsIndexTests {
    /// Returns the queries of lists, events and the clean-up.
    private func queries() async throws -> [Query] {
        let bench = try SessionsBench()
        _ = try await bench.report("Stop")
        let seen = Mutex<[Query]>([])
        bench.store.set { hooks in
            hooks.beforeQuery = { query throws(StoreError) in seen.withLock { $0.append(query) } }
        }
        for path in ["notifications", "devices", "devices/device-1/sessions", "sessions", "sessions/session-1/events"] {
            _ = try await bench.list(path)
        }
        _ = try await bench.report("SessionStart")
        try await bench.clean()
        return seen.withLock { $0 }
    }

    @Test("Each query of sessions uses an index, and those without another filter do not sort")
    func plans() async throws {
        let disk = try TemporaryStore(clock: ManualClock(), fieldIndexes: Sessions.fieldIndexes)
        let queries = try await queries()
        #expect(queries.count == 12)
        for query in queries {
            let plan = try await disk.engine.plan(of: query, in: disk.documents.database)
            let index = query.filter == nil ? "documents_by_path" : "documents_by_value"
            #expect(plan.contains { $0.hasPrefix("SEARCH") && $0.contains(index) }, "\(query.scope): \(plan)")
            guard query.scope.name != "codingSessions" || query.orders.isEmpty else { continue }
            #expect(plan.allSatisfy { !$0.contains("TEMP B-TREE") }, "\(query.scope): \(plan)")
        }
    }
}
