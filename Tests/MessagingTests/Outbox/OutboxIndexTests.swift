import TestDoubles
import Testing

@testable import DocumentStore
@testable import Messaging

@Suite("Queries of the outbox")
struct OutboxIndexTests {
    private static let lane = Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app"))
    private static let time = Timestamp(microseconds: 0)

    private static let queries =
        [
            OutboxDocuments.accepted(before: time, limit: 10), OutboxDocuments.settled(before: time, limit: 10),
            QueueKey.chunks(after: "a b", before: "a!").ordered(by: .documentName).limited(to: 10),
        ]
        + [QueueKey(), QueueKey(owner: "member")].flatMap { queue in
            [
                queue.first(afterLane: nil), queue.first(afterLane: lane.key[...]),
                queue.first(in: lane, dueAfter: time), queue.all,
                queue.due(in: lane, after: time, by: .distantFuture, limit: 10),
            ]
        }

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
