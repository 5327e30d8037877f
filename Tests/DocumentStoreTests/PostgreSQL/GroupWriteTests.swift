import DocumentStore
import Logging
import PostgreSQLStore
import TestBasics
import Testing

/// The rows that groups of commits write.
@Suite("PostgreSQL: writes of groups", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct GroupWriteTests {
    private let tasks = Query.collectionGroup("tasks")

    /// Runs the body with an engine that has an index of the field `due` of all tasks.
    private func withEngine(_ body: (PostgreSQLEngine, _ url: String) async throws -> Void) async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let configuration = PostgreSQLStoreConfiguration(
            url: url, connections: 3, fieldIndexes: [FieldIndex(collectionGroup: "tasks", field: "due")],
            indexesFields: { $0 == .app })
        let engine = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        do {
            try await body(engine, url)
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    @Test("Documents that commits at once create, change and delete have the entries of their last state only")
    func entries() async throws {
        try await withEngine { engine, _ in
            let store = engine.store(for: .gateway)
            for round in 0..<5 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<120 {
                        group.addTask {
                            let path = try DocumentPath("tasks/\((number * 7 + round) % 10)")
                            let write: Write =
                                switch number % 4 {
                                case 0: .delete(path)
                                case 1: .set(path, ["other": .integer(Int64(number))])
                                default: .set(path, ["due": .integer(Int64(number % 3))])
                                }
                            _ = try await store.commit([write, .set(DocumentPath("tasks/new\(round)-\(number)"), [:])])
                        }
                    }
                    try await group.waitForAll()
                }
                let all = try await store.documents(matching: tasks)
                #expect(all.count { $0.path.id.hasPrefix("new\(round)-") } == 120)
                let due = all.filter { $0.fields["due"] != nil }
                #expect(try await engine.texts("SELECT document FROM entries").sorted() == due.map(\.path.id).sorted())
                for value in 0..<3 {
                    let found = try await store.documents(matching: tasks.where("due", .equal, .integer(Int64(value))))
                    #expect(found == due.filter { $0.fields["due"] == .integer(Int64(value)) })
                }
            }
        }
    }

    @Test("Rows that are there already, by another program, are replaced", arguments: [DatabaseID.gateway, .app])
    func leftover(database: DatabaseID) async throws {
        try await withEngine { engine, url in
            let store = engine.store(for: database)
            let path = try DocumentPath("tasks/a")
            _ = try await store.commit([.set(path, ["due": .integer(1)])])
            try PostgreSQLEngine.run("DELETE FROM documents", at: url)
            #expect(try await engine.texts("SELECT document FROM entries").contains("a"))
            _ = try await store.commit([.set(path, ["due": .integer(1), "n": .integer(2)])])
            let found = try await store.documents(matching: tasks.where("due", .equal, .integer(1)))
            #expect(found.map(\.fields) == [["due": .integer(1), "n": .integer(2)]])
            _ = try await store.commit([.delete(path)])
            #expect(try await engine.texts("SELECT document FROM entries").isEmpty)
        }
    }

    @Test("A document that a group deletes and creates, after one that empties the database too, is there once")
    func removal() async throws {
        try await withEngine { engine, _ in
            let store = engine.store(for: .app)
            let path = try DocumentPath("tasks/a")
            _ = try await store.commit([.set(path, ["due": .integer(1)])])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let set = Write.set(path, ["due": .integer(Int64(number))])
                        switch number % 3 {
                        case 0: try await engine.removeAll(from: .app)
                        case 1: _ = try await store.commit([.delete(path), set])
                        default: _ = try await store.commit([set])
                        }
                    }
                }
                try await group.waitForAll()
            }
            _ = try await store.commit([.delete(path), .set(path, ["due": .integer(7)])])
            #expect(try await store.documents(matching: tasks).map(\.fields) == [["due": .integer(7)]])
            try await engine.sweep()
            #expect(try await engine.texts("SELECT document FROM documents") == ["a"])
            #expect(Set(try await engine.texts("SELECT document FROM entries")) == ["a"])
        }
    }
}
