import GRDB
import Testing

@testable import DocumentStore

@Suite("Reads in place", .enabled(if: FileCache.isKnown))
struct InPlaceReadTests {
    private let fixture: SQLiteFixture
    private let agents: CollectionPath

    init() throws {
        fixture = try SQLiteFixture()
        agents = try CollectionPath("agents")
    }

    /// Runs the body with readers in place over a collection of `count` documents.
    private func withReaders(
        _ count: Int, _ body: (SQLiteEngine, InPlaceReaders) async throws -> Void
    ) async throws {
        let engine = try fixture.open()
        let writes = try (0..<count).map { Write.set(try agents.document("\($0)"), ["name": .string("\($0)")]) }
        _ = try await engine.store(for: .gateway).commit(writes)
        let readers = try InPlaceReaders(engine.configuration)
        try await body(engine, readers)
        readers.close()
        await engine.close()
    }

    private func names(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT document FROM documents ORDER BY document")
    }

    @Test("A short read in place runs at once and sees the earlier commits")
    func short() async throws {
        try await withReaders(20) { engine, readers async throws in
            #expect(try readers.read(names)?.count == 20)
            _ = try await engine.store(for: .gateway).commit([.delete(try agents.document("0"))])
            #expect(try readers.read(names)?.count == 19)
        }
    }

    @Test("A long read in place is left to other readers, and its connection stays usable")
    func long() async throws {
        try await withReaders(500) { _, readers async throws in
            for _ in 0..<20 {
                #expect(try readers.read(names) == nil)
                let first = try readers.read { try String.fetchOne($0, sql: "SELECT document FROM documents LIMIT 1") }
                #expect(first != nil)
            }
        }
    }

    @Test("A read in place is left to other readers if all connections are in use")
    func inUse() async throws {
        try await withReaders(1) { _, readers async throws in
            func nested(_ depth: Int) throws -> Int {
                try readers.read { _ in try depth < 100 ? nested(depth + 1) : depth } ?? depth
            }
            let depth = try nested(0)
            #expect((1...16).contains(depth))
        }
    }

    @Test("An engine with reads in place answers long and short queries")
    func engine() async throws {
        try await withReaders(500) { engine, _ async throws in
            let store = engine.store(for: .gateway)
            #expect(try await store.documents(matching: .collection(agents)).count == 500)
            #expect(try await store.documents(matching: .collection(agents).limited(to: 3)).count == 3)
            #expect(try await store.count(.collection(agents)) == 500)
            #expect(try await store.document(at: agents.document("7"))?["name"] == .string("7"))
        }
    }
}
