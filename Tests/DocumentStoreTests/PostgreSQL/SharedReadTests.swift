import DocumentStore
import Logging
import TestBasics
import Testing

@testable import PostgreSQLStore

/// Reads that wait at the same time share statements.
@Suite("PostgreSQL: shared reads", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct SharedReadTests {
    private static let due = FieldIndex(collectionGroup: "tasks", field: "due")

    /// Runs the body with the store of an engine that has an index of the field `due` of all tasks.
    private func withStore(_ body: (PostgreSQLDocumentStore) async throws -> Void) async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let configuration = PostgreSQLStoreConfiguration(url: url, connections: 3, fieldIndexes: [Self.due])
        let engine = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        do {
            try await body(engine.store(for: .gateway))
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    /// Commits users with two tasks each, of which the first is due at the user's number.
    private func makeUsers(_ count: Int, in store: PostgreSQLDocumentStore) async throws {
        let writes = try (0..<count).flatMap { number in
            [
                Write.set(try DocumentPath("users/\(number)"), ["n": .integer(Int64(number))]),
                .set(try DocumentPath("users/\(number)/tasks/a"), ["due": .integer(Int64(number))]),
                .set(try DocumentPath("users/\(number)/tasks/b"), ["due": .integer(-1)]),
            ]
        }
        _ = try await store.commit(writes)
    }

    private func due(_ number: Int64) -> Query {
        .collectionGroup("tasks").where("due", .equal, .integer(number))
    }

    private func tasks(of user: Int) throws -> Query {
        .collection(try CollectionPath("users/\(user)/tasks")).limited(to: 7)
    }

    @Test("One statement answers several askers, each with the rows of its own elements, and all with the last commit")
    func joined() async throws {
        try await withStore { store async throws in
            try await makeUsers(4, in: store)
            let reads = SharedReads(database: .gateway)
            let asked = [["users/2", "users/none", "users/0"], ["users/2"], []]
            let paths = try asked.map { try $0.map { try DocumentPath($0) } }
            let calls = try paths.map { try #require(reads.documents(at: $0.map(RowKey.init))) }
            let rows = try await store.engine.pool.run { try $0.run([SharedCall.joined(calls)])[0] }
            let answers = SharedCall.answers(in: rows, to: calls.count)
            let found = try zip(answers, paths).map { try $0.named($1).map { $0?.fields["n"] } }
            #expect(found == [[.integer(2), nil, .integer(0)], [.integer(2)], []])

            let commit = try await store.commit([.set(DocumentPath("users/last"), [:])]).commitTime
            let queries = try [due(3), due(9), due(1)].map { try PlannedQuery($0, in: .gateway) }
            let ofKeys = try queries.map { try #require(reads.documents(matching: $0, declared: [Self.due])) }
            let rowsOfKeys = try await store.engine.pool.run { try $0.run([SharedCall.joined(ofKeys)])[0] }
            let answersOfKeys = SharedCall.answers(in: rowsOfKeys, to: ofKeys.count)
            let names = answersOfKeys.map { answer in
                answer.others(reporting: store.engine.unreadable).documents.map(\.path.description)
            }
            #expect(names == [["users/3/tasks/a"], [], ["users/1/tasks/a"]])
            #expect(answersOfKeys.allSatisfy { $0.lastCommit == commit })
        }
    }

    @Test("Calls are of one form only if their statements and their common parameters are the same")
    func forms() throws {
        let (own, other) = (SharedReads(database: .gateway), SharedReads(database: .app))
        let key = RowKey(try DocumentPath("users/a"))
        let call = try #require(own.documents(at: [key]))
        let none = try #require(own.documents(at: []))
        #expect(call.isOfForm(of: none))
        let ofOther = try #require(other.documents(at: [key]))
        #expect(!call.isOfForm(of: ofOther))
        let query = try PlannedQuery(tasks(of: 1), in: .gateway)
        let page = try #require(own.documents(at: [key], in: query, limit: 8))
        #expect(!call.isOfForm(of: page))
        let longer = try #require(own.documents(at: [key], in: query, limit: 16))
        #expect(!page.isOfForm(of: longer))
    }

    @Test("Queries that one short statement cannot answer share none")
    func others() throws {
        let reads = SharedReads(database: .gateway)
        let key = RowKey(try DocumentPath("users/a"))
        let areManyShared = reads.documents(at: Array(repeating: key, count: SharedReads.most + 1)) != nil
        #expect(!areManyShared)
        let page = try tasks(of: 1)
        for query in [
            page.where("n", .equal, .integer(1)), page.ordered(by: "n"), page.ordered(by: .documentName, .descending),
            .collectionGroup("tasks").limited(to: 7),
        ] {
            let planned = try PlannedQuery(query, in: .gateway)
            let isShared = reads.documents(at: [], in: planned, limit: 8) != nil
            #expect(!isShared, "\(query)")
        }
        let plannedPage = try PlannedQuery(page, in: .gateway)
        let isLongShared = reads.documents(at: [], in: plannedPage, limit: 1_024) != nil
        #expect(!isLongShared)
        let below = Query.collectionGroup("tasks", below: try DocumentPath("users/1"))
        for query in [
            due(1).limited(to: 3), below.where("due", .equal, .integer(1)),
            .collectionGroup("tasks").where("due", .greaterThan, .integer(1)),
            .collectionGroup("tasks").where("other", .equal, .integer(1)),
            .collection(try CollectionPath("users/1/tasks")).where("due", .equal, .integer(1)),
        ] {
            let planned = try PlannedQuery(query, in: .gateway)
            let isShared = reads.documents(matching: planned, declared: [Self.due]) != nil
            #expect(!isShared, "\(query)")
        }
    }

    @Test("Of many readers at once, each gets its own documents")
    func readers() async throws {
        try await withStore { store async throws in
            try await makeUsers(40, in: store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<400 {
                    let user = round % 40
                    group.addTask {
                        let path = try DocumentPath("users/\(user)")
                        switch round % 3 {
                        case 0:
                            let found = try await store.documents(at: [path, DocumentPath("users/none"), path])
                            #expect(found.map { $0?.path } == [path, nil, path])
                        case 1:
                            let (named, tasks) = try await store.documents(at: [path], matching: try tasks(of: user))
                            #expect(named[0]?.fields["n"] == .integer(Int64(user)))
                            #expect(tasks.map(\.path.description) == ["a", "b"].map { "users/\(user)/tasks/\($0)" })
                        default:
                            let tasks = try await store.documents(matching: due(Int64(user)))
                            #expect(tasks.map(\.path.description) == ["users/\(user)/tasks/a"])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("More documents with one value than a short read takes are all found, and in pieces too")
    func many() async throws {
        try await withStore { store async throws in
            #expect(try await store.documents(matching: due(-1)).isEmpty)
            for count in [SharedReads.mostWithKey, SharedReads.mostWithKey + 1] {
                try await makeUsers(count, in: store)
                let found = try await store.documents(matching: due(-1)).map(\.path.description)
                #expect(found == (0..<count).map { "users/\($0)/tasks/b" }.sorted())
                let results = try await store.results(of: due(-1))
                var pieces: [String] = []
                while let piece = try await results.next() { pieces += piece.map(\.path.description) }
                #expect(pieces == found)
            }
        }
    }

    @Test("A short result has the time of the last commit")
    func readTime() async throws {
        try await withStore { store async throws in
            try await makeUsers(3, in: store)
            let last = try await store.commit([.set(DocumentPath("users/1/tasks/b"), ["due": .integer(1)])]).commitTime
            let results = try await store.results(of: due(1))
            #expect(results.readTime == last)
            #expect(try await results.next()?.map(\.path.description) == ["users/1/tasks/a", "users/1/tasks/b"])
            #expect(try await results.next() == nil)
        }
    }
}
