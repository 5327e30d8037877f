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
        let engine = try self.engine(at: url)
        do {
            try await body(engine, url)
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }

    private func engine(at url: String) throws -> PostgreSQLEngine {
        let configuration = PostgreSQLStoreConfiguration(
            url: url, connections: 3, fieldIndexes: [FieldIndex(collectionGroup: "tasks", field: "due")],
            indexesFields: { $0 == .app })
        return try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
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
            let first = try self.engine(at: url)
            _ = try await first.store(for: database).commit([.set(path, ["due": .integer(1)])])
            await first.close()
            try PostgreSQLEngine.run("DELETE FROM documents", at: url)
            #expect(try await engine.texts("SELECT document FROM entries").contains("a"))
            _ = try await store.commit([.set(path, ["due": .integer(1), "n": .integer(2)])])
            let found = try await store.documents(matching: tasks.where("due", .equal, .integer(1)))
            #expect(found.map(\.fields) == [["due": .integer(1), "n": .integer(2)]])
            _ = try await store.commit([.delete(path)])
            #expect(try await engine.texts("SELECT document FROM entries").isEmpty)
        }
    }

    @Test("Engines that commit in turns find what the others have written, and each what it has written itself")
    func turns() async throws {
        try await withEngine { one, url in
            let other = try self.engine(at: url)
            let path = try DocumentPath("tasks/a")
            let add = Write.merge(path, [:], mask: [], transforms: [FieldTransform("n", .increment(.integer(1)))])
            var count: Int64 = 0
            for engine in [one, one, other, one, other, other, other, one, one] {
                let result = try await engine.store(for: .gateway).commit([add])
                count += 1
                #expect(result.transformResults(ofWrite: 0) == [.integer(count)])
            }
            // A document that was deleted or is long is not taken for what it was.
            let (mine, theirs) = (one.store(for: .gateway), other.store(for: .gateway))
            _ = try await mine.commit([.delete(path)])
            await #expect(throws: StoreError.self) { _ = try await mine.commit([.update(path, ["n": .integer(0)])]) }
            for size in [10, 20_000, 10] {
                let text = Value.string(String(repeating: "x", count: size))
                _ = try await mine.commit([.set(path, ["text": text])])
                let result = try await mine.commit([add])
                #expect(result.transformResults(ofWrite: 0) == [.integer(1)])
                #expect(try await theirs.document(at: path)?.fields == ["text": text, "n": .integer(1)])
            }
            try await theirs.engine.removeAll(from: .gateway)
            #expect(try await mine.commit([add]).transformResults(ofWrite: 0) == [.integer(1)])
            try await one.removeAll(from: .gateway)
            #expect(try await mine.commit([add]).transformResults(ofWrite: 0) == [.integer(1)])
            #expect(try await theirs.documents(matching: tasks).map(\.fields) == [["n": .integer(1)]])
            await other.close()
        }
    }

    @Test("Of creations at once, those of documents that another engine has made are refused, and the others applied")
    func creations() async throws {
        try await withEngine { engine, url in
            let other = try self.engine(at: url)
            let (mine, theirs) = (engine.store(for: .gateway), other.store(for: .gateway))
            for round in 0..<5 {
                let paths = try (0..<40).map { try DocumentPath("tasks/\(round)-\($0)") }
                let taken = Set(paths.filter { $0.id.hasSuffix("7") })
                _ = try await theirs.commit(taken.sorted().map { .set($0, ["due": .integer(1)]) })
                let created: Set<DocumentPath> = try await withThrowingTaskGroup(of: DocumentPath?.self) { group in
                    for path in paths {
                        group.addTask {
                            do throws(StoreError) {
                                _ = try await mine.commit([.create(path, ["due": .integer(2)])])
                                return path
                            } catch {
                                guard error.code == .alreadyExists else { throw error }
                                return nil
                            }
                        }
                    }
                    return try await group.reduce(into: Set<DocumentPath>()) { created, path in
                        if let path { created.insert(path) }
                    }
                }
                #expect(created == Set(paths).subtracting(taken))
                let found = try await theirs.documents(at: paths)
                let values: [Value?] = paths.map { .integer(taken.contains($0) ? 1 : 2) }
                #expect(found.map { $0?.fields["due"] } == values)
            }
            let due = try await theirs.documents(matching: tasks.where("due", .equal, .integer(1)))
            #expect(due.count == 20)
            await other.close()
        }
    }

    @Test("A document that one commit creates and another one of its group deletes is there if the creation was last")
    func createdAndDeleted() async throws {
        try await withEngine { engine, url in
            let other = try self.engine(at: url)
            let (mine, theirs) = (engine.store(for: .gateway), other.store(for: .gateway))
            let path = try DocumentPath("tasks/a")
            for round in 0..<40 {
                _ = try await theirs.commit([.set(path, ["due": .integer(Int64(round))])])
                async let deletion = mine.commit([.delete(path)])
                let isCreated: Bool
                do throws(StoreError) {
                    _ = try await mine.commit([.create(path, ["due": .integer(-1)])])
                    isCreated = true
                } catch {
                    #expect(error.code == .alreadyExists)
                    isCreated = false
                }
                _ = try await deletion
                let found = try await theirs.document(at: path)
                let fields: Fields? = isCreated ? ["due": .integer(-1)] : nil
                #expect(found?.fields == fields)
            }
            await other.close()
        }
    }

    @Test("Of many more documents than are kept, each has what all its commits have added")
    func many() async throws {
        try await withEngine { engine, _ in
            let store = engine.store(for: .gateway)
            for _ in 0..<3 {
                for start in stride(from: 0, to: 1_200, by: 300) {
                    let writes = try (start..<start + 300).map { number in
                        try Write.merge(
                            DocumentPath("tasks/\(number)"), [:], mask: [],
                            transforms: [FieldTransform("n", .increment(.integer(1)))])
                    }
                    _ = try await store.commit(writes)
                }
            }
            let all = try await store.documents(matching: tasks)
            #expect(all.count == 1_200 && all.allSatisfy { $0.fields["n"] == .integer(3) })
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
