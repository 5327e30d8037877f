import DocumentStore
import Logging
import PostgreSQLStore
import TestBasics
import Testing

/// Caches of engines that share their documents.
@Suite("PostgreSQL: cached documents", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct SharedCacheTests {
    private typealias Answer = (named: [Document?], matching: [Document], period: CommitPeriod?)

    /// Runs the body with two engines that do not know of each other before one of them commits, as two gateways in
    /// their first second.
    private func withEngines(_ body: (_ one: PostgreSQLEngine, _ other: PostgreSQLEngine) async throws -> Void)
        async throws
    {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let configuration = PostgreSQLStoreConfiguration(url: url, connections: 3)
        let one = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        let other = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        do {
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
            engine.store(for: .gateway).commit([write], with: .during(answer.period)) {
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
                #expect(try await answer(of: cache, in: engine).period == nil)
                let known = try await answer(of: cache, in: engine)
                #expect(known.period != nil)
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
                #expect(known.period != nil)
                // Whatever it changes.
                let path = try number == 5 ? DocumentPath("else/where") : server()
                _ = try await other.store(for: .gateway).commit([.set(path, ["n": .integer(Int64(number))])])
                let refused = await #expect(throws: StoreError.self) { try await accept(after: known, in: engine) }
                #expect(refused?.code == .aborted)
                let present = try await answer(of: cache, in: engine)
                #expect(present.period == nil)
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
}
