import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import TestDoubles
import Testing

@testable import FirestoreAPI

@Suite("Transactions in contention", .timeLimit(.minutes(10)))
struct ContentionTests {
    private let fixture: QueryFixture
    private let database = QueryFixture.database

    init() throws { fixture = try QueryFixture() }

    /// The first read of a transaction.
    enum Reading: CaseIterable {
        case document
        case collection
        case collectionGroup
        case database
    }

    /// Adds one to a counter, as SDKs do: reads, commits, and runs again at once after `ABORTED`.
    ///
    /// - Returns: the number of attempts; `nil` if none of five has succeeded.
    private func increment(_ id: String, by reading: Reading = .document) async throws -> Int? {
        let path = try DocumentPath("c/\(id)")
        let transactions = fixture.service.transactions
        var last = Data()
        for attempt in 1...5 {
            let options = Google_Firestore_V1_TransactionOptions.with { $0.readWrite.retryTransaction = last }
            let transaction = try await transactions.begin(options, in: database)
            let count = try await count(at: path, by: reading, in: transaction)
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

    private func count(at path: DocumentPath, by reading: Reading, in transaction: Data) async throws -> Int64 {
        let transactions = fixture.service.transactions
        let query: Query
        switch reading {
        case .document:
            let view = try await transactions.view(for: .transaction(transaction), in: database, reading: [path])
            view.note([path])
            return try await view.reader.documents(at: [path]).first??["n"]?.integer ?? 0
        case .collection: query = Query(.collection(path.collection))
        case .collectionGroup: query = Query(.collectionGroup(path.collection.id))
        case .database: query = Query(.descendants())
        }
        let view = try await transactions.view(for: .transaction(transaction), in: database, searching: query.scope)
        view.note(query)
        let documents = try await view.reader.documents(matching: query)
        return documents.first { $0.path == path }?["n"]?.integer ?? 0
    }

    @Test(
        "All of twenty clients at one document succeed within five attempts, each several times, however they read it",
        arguments: [
            [.document], [.collection], [.collectionGroup], [.document, .collection], Reading.allCases,
        ] as [[Reading]])
    func manyClients(readings: [Reading]) async throws {
        let attempts = try await withThrowingTaskGroup(of: [Int?].self) { group in
            for client in 0..<20 {
                group.addTask {
                    var attempts: [Int?] = []
                    for _ in 0..<5 {
                        attempts.append(try await increment("a", by: readings[client % readings.count]))
                    }
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

    /// Expects that a transaction waits until another one leaves.
    private func expectWait(of id: Data, until other: Data, in turns: Turns) async {
        let isAlone = Written<Bool>()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await turns.wait(for: id)
                isAlone.add(true)
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(isAlone.messages.isEmpty)
            turns.leave(other)
        }
        #expect(isAlone.messages == [true])
    }

    @Test("A transaction in another collection does not wait for one that searches, and one in its collection does")
    func otherCollection() async throws {
        let turns = Turns(clock: ManualClock())
        var reads = TransactionReads(at: .now)
        reads.add(Query(.collection(try CollectionPath("c"))))
        turns.lost(Data([1]), reads, in: database)
        turns.enter(Data([2]), insteadOf: Data([1]))
        turns.join(Data([3]), reading: [try DocumentPath("d/a")], in: database)
        await turns.wait(for: Data([3]))
        turns.join(Data([4]), reading: [], searching: .collection(try CollectionPath("c/a/c")), in: database)
        await turns.wait(for: Data([4]))
        turns.join(Data([5]), reading: [try DocumentPath("c/b")], in: database)
        await expectWait(of: Data([5]), until: Data([2]), in: turns)
    }

    @Test("Lines: those that want parts of a thing wait for one that wants all of it, and not for each other")
    func wholesAndParts() throws {
        var lines = TurnLines()
        let document = ContendedThing(try DocumentPath("c/a"), in: database)
        let other = ContendedThing(try DocumentPath("c/b"), in: database)
        let collection = ContendedThing(Query.Scope.collection(try CollectionPath("c")), in: database)
        let group = ContendedThing(Query.Scope.collectionGroup("c", below: try DocumentPath("d/a")), in: database)
        lines.remember(Data([0]), [document])
        lines.enter(Data([1]), insteadOf: Data([0]))
        lines.join(Data([2]), [other])
        #expect(lines.first(before: Data([2])) == nil)
        lines.join(Data([3]), [collection])
        #expect(lines.first(before: Data([3])) == Data([1]))
        lines.join(Data([4]), [other])
        #expect(lines.first(before: Data([4])) == Data([1]), "the one for which it waits has no turn yet")
        lines.join(Data([5]), [group])
        #expect(lines.first(before: Data([5])) == Data([1]))
        #expect(lines.leave(Data([1])) == true)
        #expect(lines.first(before: Data([1])) == nil && lines.first(before: Data([3])) == nil)
        #expect(lines.first(before: Data([4])) == Data([3]) && lines.first(before: Data([5])) == Data([3]))
        #expect(lines.leave(Data([2])) == false, "it did not stand in line")
        for id in [3, 4, 5] as [UInt8] { #expect(lines.leave(Data([id])) == true) }
        lines.join(Data([6]), [collection])
        #expect(lines.leave(Data([6])) == false, "there is nobody for whom it could wait")
    }

    @Test("Lines: of a chain in which each waits for the one before, all wait for the turn of the first")
    func chain() throws {
        var lines = TurnLines()
        let things = try (0...100).map { ContendedThing(try DocumentPath("c/\($0)"), in: database) }
        for number in 0..<100 as Range<UInt8> {
            let loser = Data([1, number])
            lines.remember(loser, [things[Int(number)], things[Int(number) + 1]])
            lines.enter(Data([0, number]), insteadOf: loser)
        }
        for number in 1..<100 as Range<UInt8> { #expect(lines.first(before: Data([0, number])) == Data([0, 0])) }
        #expect(lines.leave(Data([0, 0])) == true)
        #expect(lines.first(before: Data([0, 1])) == nil)
        for number in 2..<100 as Range<UInt8> { #expect(lines.first(before: Data([0, number])) == Data([0, 1])) }
    }

    @Test("Lines: a transaction looks for a thousand of the things that it reads, and stands in line for those")
    func manyThings() throws {
        var lines = TurnLines()
        let things = try (0..<5_000).map { ContendedThing(try DocumentPath("c/\($0)"), in: database) }
        lines.remember(Data([0]), [things[999], things[1_000]])
        lines.enter(Data([1]), insteadOf: Data([0]))
        let looks = Written<Int>()
        lines.join(
            Data([2]),
            things.indices.lazy.map { index -> ContendedThing in
                looks.add(index)
                return things[index]
            })
        #expect(looks.messages == Array(0..<1_000))
        #expect(lines.first(before: Data([2])) == Data([1]))
        lines.join(Data([3]), things[1_000...])
        lines.join(Data([4]), things[1_001...])
        #expect(lines.first(before: Data([3])) == Data([1]))
        #expect(lines.leave(Data([4])) == false, "nobody stands in line for its first thousand")
    }

    @Test("A transaction with a thousand reads has a turn when it runs again, and one with more has none")
    func manyReads() async throws {
        let turns = Turns(clock: ManualClock())
        let (document, query) = (try DocumentPath("c/a"), Query(.collection(try CollectionPath("c"))))
        var reads = TransactionReads(at: .now)
        for _ in 0..<1_000 { reads.add(query) }
        var more = reads
        more.add(query)
        turns.lost(Data([1]), more, in: database)
        turns.enter(Data([2]), insteadOf: Data([1]))
        turns.join(Data([3]), reading: [document], in: database)
        await turns.wait(for: Data([3]))
        turns.lost(Data([4]), reads, in: database)
        turns.enter(Data([5]), insteadOf: Data([4]))
        turns.join(Data([6]), reading: [document], in: database)
        await expectWait(of: Data([6]), until: Data([5]), in: turns)
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
