import DocumentStore
import FirestoreProtos
import SwiftProtobuf
import TestDoubles
import Testing

@testable import FirestoreAPI

@Suite("Commits whose clients have gone")
struct AbandonedCommitTests {
    let fixture: ServiceFixture

    init() throws { fixture = try ServiceFixture() }

    @Test("A commit of a client that has gone is not applied")
    func commit() async throws {
        let failure = await status {
            _ = try await cancelled { try await fixture.commit([ServiceFixture.set("a/b")]) }
        }
        #expect(failure?.code == .cancelled)
        #expect(await status { _ = try await fixture.document("a/b") }?.code == .notFound)
    }

    @Test("The writes of a batch whose client has gone are not applied")
    func batch() async throws {
        let response = try await cancelled {
            try await fixture.service.batchWrite(
                .with {
                    $0.database = "\(ServiceFixture.database)"
                    $0.writes = [ServiceFixture.set("a/b"), ServiceFixture.set("a/c")]
                }, as: fixture.owner)
        }
        #expect(response.status.map(\.code) == [1, 1])
        #expect(await status { _ = try await fixture.document("a/b") }?.code == .notFound)
    }

    @Test("A transaction's commit that was not applied because its client had gone can be repeated")
    func transaction() async throws {
        let database = ServiceFixture.database
        let id = try await fixture.service.transactions.begin(nil, in: database)
        let write = Write.set(try DocumentPath("a/b"), [:])
        let failure = await status {
            _ = try await cancelled { try await fixture.service.transactions.commit(id, [write], in: database) }
        }
        #expect(failure?.code == .cancelled)
        #expect(await status { _ = try await fixture.document("a/b") }?.code == .notFound)
        _ = try await fixture.service.transactions.commit(id, [write], in: database)
        #expect(try await fixture.document("a/b").fields.isEmpty)
    }
}
