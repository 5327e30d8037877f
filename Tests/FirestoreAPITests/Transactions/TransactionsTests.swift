import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import Testing

@testable import FirestoreAPI

@Suite("Transactions")
struct TransactionsTests {
    private let fixture: QueryFixture
    private let path: DocumentPath
    private let database = QueryFixture.database

    init() throws {
        fixture = try QueryFixture()
        path = try DocumentPath("c/a")
    }

    private var transactions: Transactions { fixture.service.transactions }

    @Test("A commit is aborted if a document that was read has changed")
    func conflict() async throws {
        let id = try await transactions.begin(nil, in: database)
        let view = try await transactions.view(for: .transaction(id), in: database)
        _ = try await view.reader.documents(at: [path])
        view.note([path])
        try await fixture.set("a", ["n": .integer(1)])
        let error = await #expect(throws: FirestoreStatus.self) {
            _ = try await transactions.commit(id, [.set(path, [:])], in: database)
        }
        #expect(error?.code == .aborted)
    }

    @Test("A blind write conflicts with nothing")
    func blindWrite() async throws {
        let id = try await transactions.begin(nil, in: database)
        try await fixture.set("a", ["n": .integer(1)])
        _ = try await transactions.commit(id, [.set(path, ["n": .integer(2)])], in: database)
        #expect(try await fixture.store.document(at: path)?["n"] == .integer(2))
    }

    @Test("All reads of a transaction see the state of its first read")
    func oneMoment() async throws {
        try await fixture.set("a", ["n": .integer(1)])
        let id = try await transactions.begin(nil, in: database)
        _ = try await transactions.view(for: .transaction(id), in: database)
        try await fixture.set("a", ["n": .integer(2)])
        let view = try await transactions.view(for: .transaction(id), in: database)
        #expect(try await view.reader.documents(at: [path]).first??["n"] == .integer(1))
    }

    @Test("An ended transaction can be rolled back but not used, and an unknown one neither")
    func ended() async throws {
        let id = try await transactions.begin(nil, in: database)
        try transactions.rollback(id, in: database)
        try transactions.rollback(id, in: database)
        await #expect(throws: FirestoreStatus(.invalidArgument, "Transaction is invalid or closed.")) {
            _ = try await transactions.commit(id, [], in: database)
        }
        #expect(throws: FirestoreStatus(.invalidArgument, "Invalid transaction.")) {
            try transactions.rollback(Data([1]), in: database)
        }
    }

    @Test("A transaction from before a restart of the server is aborted, so that the client runs it again")
    func restart() async throws {
        let id = try await transactions.begin(nil, in: database)
        let restarted = Transactions(engine: fixture.engine, server: QueryFixture.server)
        let error = await #expect(throws: FirestoreStatus.self) {
            _ = try await restarted.commit(id, [.set(path, [:])], in: database)
        }
        #expect(error?.code == .aborted)
        await #expect(throws: FirestoreStatus.self) {
            _ = try await restarted.view(for: .transaction(id), in: database)
        }
        try restarted.rollback(id, in: database)
        #expect(try await fixture.store.document(at: path) == nil)
    }

    @Test("A transaction of another server is unknown")
    func otherServer() async throws {
        let id = try await transactions.begin(nil, in: database)
        let other = Transactions(engine: fixture.engine, server: QueryFixture.server + 1)
        await #expect(throws: FirestoreStatus(.invalidArgument, "Invalid transaction.")) {
            _ = try await other.commit(id, [], in: database)
        }
    }

    @Test("A transaction that only reads may not write")
    func readOnly() async throws {
        let id = try await transactions.begin(.with { $0.readOnly = .init() }, in: database)
        await #expect(
            throws: FirestoreStatus(.invalidArgument, "Cannot modify entities in a read-only transaction.")
        ) {
            _ = try await transactions.commit(id, [.set(path, [:])], in: database)
        }
    }

    @Test("A transaction may replace one that is open, has ended or was lost by a restart, and none that never was")
    func replacement() async throws {
        func begin(_ transactions: Transactions, replacing id: Data) async throws -> Data {
            try await transactions.begin(.with { $0.readWrite.retryTransaction = id }, in: database)
        }
        let open = try await transactions.begin(nil, in: database)
        let ended = try await begin(transactions, replacing: open)
        #expect(throws: Never.self) { try transactions.rollback(open, in: database) }
        try transactions.rollback(ended, in: database)
        _ = try await begin(transactions, replacing: ended)
        _ = try await begin(Transactions(engine: fixture.engine, server: QueryFixture.server), replacing: ended)
        let other = DatabaseID(project: "other")
        let elsewhere = try await transactions.begin(nil, in: other)
        for id in [Data([1]), elsewhere, TransactionIDs(server: QueryFixture.server + 1, process: 1).next()] {
            await #expect(throws: FirestoreStatus(.invalidArgument, "Invalid transaction.")) {
                _ = try await begin(transactions, replacing: id)
            }
        }
        #expect(throws: Never.self) { try transactions.rollback(elsewhere, in: other) }
    }

    @Test("A transaction that ended so long ago that it is forgotten may be replaced, and an id of another form not")
    func forgotten() throws {
        let (ids, now) = (TransactionIDs(server: 1, process: 1), ContinuousClock.now)
        var transactions = OpenTransactions(most: 10, ids: ids)
        func endedTransaction() throws -> Data {
            let id = ids.next()
            try transactions.insert(Transaction(of: database, mode: .readWrite, at: now), as: id, at: now)
            try transactions.rollBack(id, of: database)
            return id
        }
        let first = try endedTransaction()
        #expect(throws: FirestoreStatus.self) { try transactions.replace(ids.next(), of: database) }
        for _ in 0..<65_536 { _ = try endedTransaction() }
        #expect(throws: FirestoreStatus.self) { try transactions.rollBack(first, of: database) }
        try transactions.replace(first, of: database)
        #expect(throws: FirestoreStatus.self) { try transactions.replace(Data([1]), of: database) }
    }

    @Test("A transaction ends after a minute without a use")
    func idle() {
        let start = ContinuousClock.now
        let transaction = Transaction(of: database, mode: .readWrite, at: start)
        #expect(!transaction.isExpired(at: start.advanced(by: .seconds(60))))
        #expect(transaction.isExpired(at: start.advanced(by: .seconds(61))))
    }
}
