import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import TestDoubles
import Testing

@testable import FirestoreAPI

@Suite("Transactions in contention", .timeLimit(.minutes(1)))
struct ContentionTests {
    private let fixture: QueryFixture
    private let database = QueryFixture.database

    init() throws { fixture = try QueryFixture() }

    /// Adds one to a counter, as SDKs do: reads, commits, and runs again at once after `ABORTED`.
    ///
    /// - Returns: the number of attempts; `nil` if none of five has succeeded.
    private func increment(_ id: String) async throws -> Int? {
        let path = try DocumentPath("c/\(id)")
        let transactions = fixture.service.transactions
        var last = Data()
        for attempt in 1...5 {
            let options = Google_Firestore_V1_TransactionOptions.with { $0.readWrite.retryTransaction = last }
            let transaction = try await transactions.begin(options, in: database)
            let view = try await transactions.view(for: .transaction(transaction), in: database, reading: [path])
            let count = try await view.reader.documents(at: [path]).first??["n"]?.integer ?? 0
            view.note([path])
            // The others read meanwhile.
            for _ in 0..<20 { await Task.yield() }
            do {
                try await transactions.commit(transaction, [.set(path, ["n": .integer(count + 1)])], in: database)
                return attempt
            } catch {
                guard error.code == .aborted else { throw error }
                last = transaction
            }
        }
        return nil
    }

    @Test("All of twenty clients at one document succeed within five attempts, each several times")
    func manyClients() async throws {
        let attempts = try await withThrowingTaskGroup(of: [Int?].self) { group in
            for _ in 0..<20 {
                group.addTask {
                    var attempts: [Int?] = []
                    for _ in 0..<5 { attempts.append(try await increment("a")) }
                    return attempts
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(attempts.count { $0 == nil } == 0)
        #expect(try await fixture.store.document(at: DocumentPath("c/a"))?["n"] == .integer(100))
    }

    @Test("A transaction at another document does not wait")
    func otherDocument() async throws {
        let turns = Turns(clock: ManualClock())
        var reads = TransactionReads(at: .now)
        reads.add([try DocumentPath("c/a")])
        turns.lost(Data([1]), reads, in: database)
        turns.enter(Data([2]), insteadOf: Data([1]))
        turns.join(Data([3]), reading: [try DocumentPath("c/b")], in: database)
        await turns.wait(for: Data([3]))
        turns.join(Data([4]), reading: [try DocumentPath("c/a")], in: DatabaseID(project: "other"))
        await turns.wait(for: Data([4]))
    }

    @Test("The turn of a transaction that is abandoned ends, and the order of arrival stays")
    func abandoned() async throws {
        let turns = Turns()
        let path = try DocumentPath("c/a")
        var reads = TransactionReads(at: .now)
        reads.add([path])
        turns.lost(Data([1]), reads, in: database)
        turns.enter(Data([2]), insteadOf: Data([1]))
        turns.join(Data([3]), reading: [path], in: database)
        turns.join(Data([4]), reading: [path], in: database)
        let order = Written<UInt8>()
        await withTaskGroup(of: Void.self) { group in
            for id in [4, 3] as [UInt8] {
                group.addTask {
                    await turns.wait(for: Data([id]))
                    order.add(id)
                    turns.leave(Data([id]))
                }
            }
        }
        #expect(order.messages == [3, 4])
    }
}
