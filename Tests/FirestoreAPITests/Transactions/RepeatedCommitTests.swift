import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import Testing
import Texts

@testable import FirestoreAPI

@Suite("Repeated commits of transactions")
struct RepeatedCommitTests {
    private let fixture: QueryFixture
    private let database = QueryFixture.database

    init() throws { fixture = try QueryFixture() }

    private func request(_ id: Data, _ write: Google_Firestore_V1_Write) -> Google_Firestore_V1_CommitRequest {
        .with {
            $0.database = "\(QueryFixture.database)"
            $0.transaction = id
            $0.writes = [write]
        }
    }

    private func request(_ id: Data, _ amount: Int64) -> Google_Firestore_V1_CommitRequest {
        request(
            id,
            .with {
                $0.transform.document = "\(QueryFixture.root)/c/a"
                $0.transform.fieldTransforms = [.with { ($0.fieldPath, $0.increment) = ("n", .integer(amount)) }]
            })
    }

    private func commit(
        _ request: Google_Firestore_V1_CommitRequest, at service: FirestoreService
    ) async throws -> Google_Firestore_V1_CommitResponse {
        try await service.commit(request, as: fixture.caller)
    }

    /// A service of a process that starts after another one, over the same databases.
    private var restarted: FirestoreService {
        FirestoreService(
            engine: fixture.engine, redaction: Redaction(hide: { $0 }, marked: { _ in nil }),
            server: QueryFixture.server, logger: fixture.service.logger)
    }

    @Test("A repetition gets the first answer, in the same process and after a restart, and changes nothing")
    func repetition() async throws {
        let id = try await fixture.service.transactions.begin(nil, in: database)
        let first = try await commit(request(id, 1), at: fixture.service)
        #expect(first.writeResults.first?.transformResults == [.integer(1)])
        try await fixture.set("b", [:])
        #expect(try await commit(request(id, 1), at: fixture.service) == first)
        #expect(try await commit(request(id, 1), at: restarted) == first)
        #expect(try await fixture.store.document(at: DocumentPath("c/a"))?["n"] == .integer(1))
    }

    @Test("Other writes in a transaction that was committed are refused")
    func otherWrites() async throws {
        let id = try await fixture.service.transactions.begin(nil, in: database)
        _ = try await commit(request(id, 1), at: fixture.service)
        for service in [fixture.service, restarted] {
            let failure = await status { _ = try await commit(request(id, 2), at: service) }
            #expect(failure?.code == .invalidArgument)
        }
        #expect(try await fixture.store.document(at: DocumentPath("c/a"))?["n"] == .integer(1))
    }

    @Test("A transaction that was not committed before a restart is aborted")
    func lost() async throws {
        let id = try await fixture.service.transactions.begin(nil, in: database)
        #expect(await status { _ = try await commit(request(id, 1), at: restarted) }?.code == .aborted)
        #expect(try await fixture.store.document(at: DocumentPath("c/a")) == nil)
    }

    @Test("A commit that failed leaves no answer for a repetition")
    func failed() async throws {
        let transactions = fixture.service.transactions
        let id = try await transactions.begin(nil, in: database)
        let write = Write.update(try DocumentPath("c/missing"), [:])
        #expect(await status { try await transactions.commit(id, [write], in: database) }?.code == .notFound)
        #expect(await status { try await transactions.commit(id, [write], in: database) }?.code == .invalidArgument)
    }

    @Test("Repetitions that do not wait for the first commit are applied once together")
    func together() async throws {
        let id = try await fixture.service.transactions.begin(nil, in: database)
        let (repeated, service) = (request(id, 1), fixture.service)
        let times = try await withThrowingTaskGroup(of: Timestamp.self) { group in
            for _ in 0..<10 {
                group.addTask { try await Timestamp(exactly: commit(repeated, at: service).commitTime) }
            }
            return try await group.reduce(into: Set<Timestamp>()) { $0.insert($1) }
        }
        #expect(times.count == 1)
        #expect(try await fixture.store.document(at: DocumentPath("c/a"))?["n"] == .integer(1))
    }

    @Test("A repetition with the fields of a map in another order is the same")
    func orderOfFields() async throws {
        let fields = Dictionary(
            uniqueKeysWithValues: (0..<50).map { (ExactText("f\($0)"), Google_Firestore_V1_Value.integer($0)) })
        // Each dictionary has an order of its own.
        func request(_ id: Data) -> Google_Firestore_V1_CommitRequest {
            self.request(
                id,
                .with {
                    $0.update.name = "\(QueryFixture.root)/c/a"
                    $0.update.fields = Dictionary(uniqueKeysWithValues: fields.shuffled())
                })
        }
        let id = try await fixture.service.transactions.begin(nil, in: database)
        let first = try await commit(request(id), at: fixture.service)
        for _ in 0..<5 { #expect(try await commit(request(id), at: restarted) == first) }
    }
}
