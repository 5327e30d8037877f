import TestDoubles
import Testing

@testable import DocumentStore
@testable import Messaging

@Suite("Queries of the outbox")
struct OutboxIndexTests {
    private static let lane = Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app"))
    private static let time = Timestamp(microseconds: 0)

    private static let queries = [
        OutboxDocuments.accepted(before: time, limit: 10), OutboxDocuments.settled(before: time, limit: 10),
        QueueKey.first(afterLane: nil), QueueKey.first(afterLane: lane.key[...]),
        QueueKey.first(in: lane, dueAfter: time), QueueKey.all,
        QueueKey.due(in: lane, after: time, by: .distantFuture, limit: 10),
    ]

    @Test("Each query of the outbox uses an index and does not sort")
    func plans() async throws {
        let disk = try TemporaryStore(clock: ManualClock())
        for query in Self.queries {
            let plan = try await disk.engine.plan(of: query, in: disk.documents.database)
            #expect(plan.count == 1, "\(plan)")
            #expect(plan[0].contains("SEARCH documents USING INDEX documents_by_value"), "\(plan)")
            #expect(plan[0].contains("(database=? AND collection=? AND value"), "\(plan)")
        }
    }
}
