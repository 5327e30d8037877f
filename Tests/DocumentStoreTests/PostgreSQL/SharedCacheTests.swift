import DocumentStore
import Logging
import TestBasics
import TestDoubles
import Testing

@testable import PostgreSQLStore

/// Caches of engines that share their documents.
@Suite("PostgreSQL: cached documents", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct SharedCacheTests {
    private typealias Answer = (named: [Document?], matching: [Document], mark: DocumentCache.Mark?)

    /// Runs the body with two engines.
    ///
    /// - Parameter areMembers: `true` for engines that know of each other, so that each reads what the other one has
    ///   changed when it commits; `false` for those that do not, as two gateways in their first second.
    private func withEngines(
        areMembers: Bool = false, _ body: (_ one: PostgreSQLEngine, _ other: PostgreSQLEngine) async throws -> Void
    ) async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        var configuration = PostgreSQLStoreConfiguration(
            url: url, connections: 3, fieldIndexes: [FieldIndex(collectionGroup: "tasks", field: "due")])
        (configuration.isMember, configuration.leaseLength) = (areMembers, .seconds(3))
        let one = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        let other = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        do {
            if areMembers {
                try await eventually("the engines know of each other") {
                    one.member?.hasOthers == true && other.member?.hasOthers == true
                }
            }
            try await body(one, other)
        } catch {
            await one.close()
            await other.close()
            throw error
        }
        await one.close()
        await other.close()
    }

    private func server() throws -> DocumentPath { try DocumentPath("servers/s") }

    private func answer(of cache: DocumentCache, in engine: PostgreSQLEngine) async throws -> Answer {
        let store = engine.store(for: .gateway)
        let server = try server()
        let devices = try server.collection("devices")
        return try await cache.documents(at: [server], all: devices, upTo: 10) { () async throws(StoreError) in
            try await store.documents(at: [server], matching: .collection(devices).limited(to: 11))
        }
    }

    /// Commits a message that depends on an answer.
    private func accept(after answer: Answer, in engine: PostgreSQLEngine) async throws(StoreError) {
        let write = Write.create(try DocumentPath("messages/\(DocumentPath.randomID())"), [:])
        let result = await withCheckedContinuation { continuation in
            engine.store(for: .gateway).commit([write], with: .during(nil, while: answer.mark?.isCurrent)) {
                continuation.resume(returning: $0)
            }
        }
        _ = try result.get()
    }

    @Test("Answers from memory count while one engine commits alone, and have all that it has committed")
    func alone() async throws {
        try await withEngines { engine, _ in
            let (store, cache) = (engine.store(for: .gateway), engine.cache(of: "servers"))
            _ = try await store.commit([.set(server(), ["n": .integer(0)])])
            for number in 1...5 {
                let isKnown = try await answer(of: cache, in: engine).mark != nil
                #expect(!isKnown)
                let known = try await answer(of: cache, in: engine)
                _ = try #require(known.mark)
                #expect(known.named.map { $0?.fields["n"] } == [.integer(Int64(number - 1))])
                #expect(known.matching.count == number - 1)
                try await accept(after: known, in: engine)
                try await accept(after: answer(of: cache, in: engine), in: engine)
                _ = try await store.commit([
                    .set(server(), ["n": .integer(Int64(number))]),
                    .set(server().document("\(number)", in: "devices"), [:]),
                ])
            }
        }
    }

    @Test("A commit that depends on an answer from memory is refused once if another engine has committed since")
    func others() async throws {
        try await withEngines { engine, other in
            let (store, cache) = (engine.store(for: .gateway), engine.cache(of: "servers"))
            _ = try await store.commit([.set(server(), ["n": .integer(0)])])
            for number in 1...5 {
                _ = try await answer(of: cache, in: engine)
                let known = try await answer(of: cache, in: engine)
                _ = try #require(known.mark)
                // Whatever it changes.
                let path = try number == 5 ? DocumentPath("else/where") : server()
                _ = try await other.store(for: .gateway).commit([.set(path, ["n": .integer(Int64(number))])])
                let refused = await #expect(throws: StoreError.self) { try await accept(after: known, in: engine) }
                #expect(refused?.code == .aborted)
                let present = try await answer(of: cache, in: engine)
                let isKnown = present.mark != nil
                #expect(!isKnown)
                #expect(present.named.map { $0?.fields["n"] } == [.integer(Int64(min(number, 4)))])
                try await accept(after: present, in: engine)
                try await accept(after: answer(of: cache, in: engine), in: engine)
            }
            #expect(try await store.documents(matching: .collectionGroup("messages")).count == 10)
        }
    }

    @Test("Of commits at once, those that depend on an answer from before another engine's commit are refused alone")
    func group() async throws {
        try await withEngines { engine, other in
            let (store, cache) = (engine.store(for: .gateway), engine.cache(of: "servers"))
            _ = try await store.commit([.set(server(), ["n": .integer(0)])])
            _ = try await answer(of: cache, in: engine)
            let known = try await answer(of: cache, in: engine)
            _ = try await other.store(for: .gateway).commit([.set(server(), ["n": .integer(1)])])
            let none: Answer = ([], [], nil)
            let accepted: Int = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let isKnown = number.isMultiple(of: 2)
                        do throws(StoreError) {
                            try await accept(after: isKnown ? known : none, in: engine)
                            return true
                        } catch {
                            guard error.code == .aborted, isKnown else { throw error }
                            return false
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(accepted == 20)
            #expect(try await store.documents(matching: .collectionGroup("messages")).count == 20)
        }
    }

    // MARK: Engines that know of each other

    @Test("What another engine changes elsewhere is no reason to refuse a commit that depends on an answer from memory")
    func elsewhere() async throws {
        try await withEngines(areMembers: true) { engine, other in
            let (store, cache) = (engine.store(for: .gateway), engine.cache(of: "servers"))
            _ = try await store.commit([.set(server(), ["n": .integer(0)])])
            _ = try await answer(of: cache, in: engine)
            for number in 0..<20 {
                let known = try await answer(of: cache, in: engine)
                _ = try #require(known.mark)
                _ = try await other.store(for: .gateway).commit([
                    .set(DocumentPath("servers/other"), ["n": .integer(Int64(number))]),
                    .set(DocumentPath("messages/\(number)"), [:]),
                ])
                try await accept(after: known, in: engine)
            }
            let known = try await answer(of: cache, in: engine)
            // More than an engine reads under the lock.
            for start in stride(from: 0, to: 6_000, by: 300) {
                let writes = try (start..<start + 300).map { number in
                    try Write.set(DocumentPath("else/where\(number)\(String(repeating: "x", count: 40))"), [:])
                }
                _ = try await other.store(for: .gateway).commit(writes)
            }
            let refused = await #expect(throws: StoreError.self) { try await accept(after: known, in: engine) }
            #expect(refused?.code == .aborted)
            try await accept(after: answer(of: cache, in: engine), in: engine)
        }
    }

    @Test("A commit that depends on what another engine has changed or added is refused, and the next answer has it")
    func changed() async throws {
        try await withEngines(areMembers: true) { engine, other in
            let (store, cache) = (engine.store(for: .gateway), engine.cache(of: "servers"))
            _ = try await store.commit([.set(server(), ["n": .integer(0)])])
            for number in 1...10 {
                _ = try await answer(of: cache, in: engine)
                let known = try await answer(of: cache, in: engine)
                _ = try #require(known.mark)
                let path = try number.isMultiple(of: 2) ? server() : server().document("\(number)", in: "devices")
                _ = try await other.store(for: .gateway).commit([.set(path, ["n": .integer(Int64(number))])])
                let refused = await #expect(throws: StoreError.self) { try await accept(after: known, in: engine) }
                #expect(refused?.code == .aborted)
                let present = try await answer(of: cache, in: engine)
                #expect(present.named.map { $0?.fields["n"] } == [.integer(Int64(number / 2 * 2))])
                #expect(present.matching.count == (number + 1) / 2)
                try await accept(after: present, in: engine)
            }
        }
    }

    @Test("Engines that commit in turns find what the other has changed, and keep what it has not")
    func turns() async throws {
        try await withEngines(areMembers: true) { one, other in
            func increment(_ id: String, _ field: String, by engine: PostgreSQLEngine) async throws -> Value? {
                let write = try Write.merge(
                    DocumentPath("tasks/\(id)"), [:], mask: [],
                    transforms: [FieldTransform(FieldPath(field), .increment(.integer(1)))])
                return try await engine.store(for: .gateway).commit([write]).transformResults(ofWrite: 0).first
            }
            for round in 1...30 {
                let count = Value.integer(Int64(round))
                #expect(try await increment("mine", "due", by: one) == count)
                #expect(try await increment("theirs", "due", by: other) == count)
                #expect(try await increment("shared", "due", by: one) == .integer(Int64(2 * round - 1)))
                #expect(try await increment("shared", "due", by: other) == .integer(Int64(2 * round)))
            }
            let store = one.store(for: .gateway)
            _ = try await other.store(for: .gateway).commit([.delete(DocumentPath("tasks/mine"))])
            #expect(try await increment("mine", "due", by: one) == .integer(1))
            let due = try await store.documents(matching: .collectionGroup("tasks").where("due", .equal, .integer(1)))
            #expect(due.map(\.path.id) == ["mine"])
            try await other.removeAll(from: .gateway)
            #expect(try await increment("shared", "due", by: one) == .integer(1))
        }
    }

    @Test("Nothing stays in memory of commits that a standby has lost which takes over, whatever follows them there")
    func lostCommits() async throws {
        try await withEngines(areMembers: true) { engine, other in
            let (store, cache) = (engine.store(for: .gateway), engine.cache(of: "servers"))
            let (url, task) = try (engine.configuration.url, DocumentPath("tasks/one"))
            let increment = Write.merge(
                task, [:], mask: [], transforms: [FieldTransform(FieldPath("due"), .increment(.integer(1)))])
            let (tables, times) = (["documents", "changes", "entries"], ["last_commit", "last_change"])
            _ = try await store.commit([.set(server(), ["n": .integer(0)]), .set(task, ["due": .integer(1)])])
            let copies = (tables + ["databases"]).map { "CREATE TABLE kept_\($0) AS TABLE \($0);" }
            try PostgreSQLEngine.run(copies.joined(), at: url)
            // The last commit is of the one engine, or of the other one.
            for round in 0..<2 {
                _ = try await other.store(for: .gateway).commit([.set(server().document("d", in: "devices"), [:])])
                _ = try await store.commit([increment])
                if round == 1 {
                    _ = try await other.store(for: .gateway).commit([.set(server().document("e", in: "devices"), [:])])
                    // Refused, so it follows the other one's commit, and has none of its own after it.
                    await #expect(throws: StoreError.self) { _ = try await store.commit([.create(task, [:])]) }
                }
                _ = try await answer(of: cache, in: engine)
                let known = try await answer(of: cache, in: engine)
                _ = try #require(known.mark)
                #expect(known.matching.count == round + 1)
                let restored = tables.map { "DELETE FROM \($0); INSERT INTO \($0) TABLE kept_\($0);" }
                let set = times.map { "\($0) = kept.\($0)" }.joined(separator: ", ")
                let row = "UPDATE databases SET \(set) FROM kept_databases AS kept "
                let condition = "WHERE databases.number = kept.number"
                try PostgreSQLEngine.run(restored.joined() + row + condition, at: url)
                _ = try await other.store(for: .gateway).commit([.set(DocumentPath("else/where"), [:])])
                let refused = await #expect(throws: StoreError.self) { try await accept(after: known, in: engine) }
                #expect(refused?.code == .aborted)
                let present = try await answer(of: cache, in: engine)
                #expect(present.matching.isEmpty)
                #expect(try await store.commit([increment]).transformResults(ofWrite: 0) == [.integer(2)])
            }
            let due = try await store.documents(matching: .collectionGroup("tasks").where("due", .equal, .integer(2)))
            #expect(due.map(\.path.id) == ["one"])
        }
    }
}
