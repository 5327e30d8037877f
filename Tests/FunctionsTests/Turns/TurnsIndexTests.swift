import Synchronization
import TestDoubles
import Testing

@testable import DocumentStore
@testable import Functions

@Suite("Turns: queries")
struct TurnsIndexTests {
    @Test("The players of a token are found by an index")
    func token() async throws {
        let disk = try TemporaryStore(clock: ManualClock(), fieldIndexes: Turns.fieldIndexes)
        let store = ObservedStore(disk.documents)
        let seen = Mutex<[Query]>([])
        store.set { hooks in
            hooks.beforeQuery = { query throws(StoreError) in seen.withLock { $0.append(query) } }
        }
        _ = try await PlayerDirectory(store: store).players(withToken: "token-1")
        let queries = seen.withLock { $0 }
        let query = try #require(queries.first)
        let plan = try await disk.engine.plan(of: query, in: disk.documents.database)
        #expect(plan == ["SEARCH documents USING INDEX documents_by_value1 (database=? AND collection=? AND value1=?)"])
    }
}
