import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import FirestoreAPI

@Suite("Queries whose clients have gone")
struct AbandonedQueryTests {
    private static let count = 20

    /// Makes a collection whose documents are read in several pieces.
    private func fixtureWithDocuments() async throws -> QueryFixture {
        let fixture = try QueryFixture()
        let text = String(repeating: "x", count: 500_000)
        for number in 0..<Self.count { try await fixture.set("\(number)", ["x": .string(text)]) }
        return fixture
    }

    private func run(
        _ fixture: QueryFixture, limit: Int32? = nil, as caller: FirestoreCaller, _ answers: Written<QueryResponse>
    ) async -> FirestoreStatus? {
        await status {
            try await fixture.service.runQuery(
                .with {
                    $0.parent = QueryFixture.root
                    $0.structuredQuery.from = [.with { $0.collectionID = "c" }]
                    if let limit { $0.structuredQuery.limit.value = limit }
                }, as: caller
            ) { answers.add($0) }
        }
    }

    @Test("A query ends soon after its client has gone, and one whose client waits has all documents")
    func query() async throws {
        let fixture = try await fixtureWithDocuments()
        let (early, whole, unread) = (Written<QueryResponse>(), Written<QueryResponse>(), Written<QueryResponse>())
        let ended = await run(fixture, as: fixture.caller.waiting { early.messages.isEmpty }, early)
        #expect(ended?.code == .cancelled)
        #expect((1..<Self.count).contains(early.messages.count))
        #expect(await run(fixture, as: fixture.caller.waiting { false }, unread)?.code == .cancelled)
        #expect(unread.messages.count <= 2, "each document is a piece of its own")
        #expect(await run(fixture, as: fixture.caller, whole) == nil)
        #expect(whole.messages.count == Self.count)
    }

    @Test("A query with a short result has it, also if its client has closed its side of the connection")
    func shortResult() async throws {
        let fixture = try await fixtureWithDocuments()
        let answers = Written<QueryResponse>()
        #expect(await run(fixture, limit: 1, as: fixture.caller.waiting { false }, answers) == nil)
        #expect(answers.messages.count == 1)
    }
}
