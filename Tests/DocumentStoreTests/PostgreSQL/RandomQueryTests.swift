import Logging
import PostgreSQLStore
import TestBasics
import TestDoubles
import Testing

@testable import DocumentStore

/// Tests of the statements and of the entries that they use, with random documents and queries from a small set of
/// values.
@Suite(
    "PostgreSQL: queries against the evaluator", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct RandomQueryTests {
    private let entries =
        "SELECT scope || ' ' || field || ' ' || key || ' ' || parent || '/' || document FROM entries ORDER BY 1"

    private func open(_ indexes: RandomIndexes?, _ url: String? = nil) async throws -> PostgreSQLEngine {
        var address = url
        if address == nil {
            address = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        }
        let isAutomatic = indexes?.isAutomatic == true
        let configuration = PostgreSQLStoreConfiguration(
            url: address ?? "", connections: 3, fieldIndexes: indexes?.declared ?? [],
            indexesFields: { _ in isAutomatic }, keepsVersions: { _ in true })
        return try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
    }

    @Test(
        "A random query returns the same documents in the same order as the evaluator, now and for an earlier time",
        arguments: 1...4 as ClosedRange<UInt64>, RandomIndexes.allCases)
    func same(seed: UInt64, indexes: RandomIndexes) async throws {
        var generator = SeededGenerator(seed: seed)
        let names = SeededGenerator.fieldNames
        let engine = try await open(indexes)
        let store = engine.store(for: .gateway)
        let writes = try (0..<150).map { _ in Write.set(try generator.path(), generator.fields(names)) }
        let earlier = try await store.commit(writes).commitTime
        let before = try await store.everything
        _ = try await store.commit(try (0..<50).map { _ in try generator.change(names) })
        let all = try await store.everything
        let past = try await store.snapshot(at: earlier)

        var (matched, refused) = (0, 0)
        for _ in 0..<200 {
            let query = try generator.query(names)
            guard let planned = try? PlannedQuery(query, in: .gateway) else {
                refused += 1
                await expectError(.invalidArgument) { try await store.documents(matching: query) }
                continue
            }
            let found = try await store.documents(matching: query)
            #expect(texts(found) == texts(planned.evaluate(over: all, in: .gateway)), "\(query)")
            let old = try await past.documents(matching: query)
            #expect(texts(old) == texts(planned.evaluate(over: before, in: .gateway)), "\(query)")
            #expect(try await store.count(query) == found.count)
            matched += found.count
        }
        #expect(matched > 400, "too few matches for a useful test")
        #expect(refused < 80, "too few valid queries for a useful test")
        await engine.close()
    }

    /// The documents with all their fields, also NaN, which is not equal to itself.
    private func texts(_ documents: [Document]) -> [String] {
        documents.map { "\($0.path) \($0.fields.json) \($0.updateTime)" }
    }

    @Test("Entries are those of the present documents, whatever the way to them", arguments: RandomIndexes.allCases)
    func contents(indexes: RandomIndexes) async throws {
        var generator = SeededGenerator(seed: 7)
        let names = SeededGenerator.fieldNames
        let (engine, other) = (try await open(indexes), try await open(indexes))
        let store = engine.store(for: .gateway)
        for _ in 0..<20 {
            _ = try await store.commit(
                try (0..<10).map { _ in Write.set(try generator.path(), generator.fields(names)) })
            _ = try await store.commit(try (0..<10).map { _ in try generator.change(names) })
        }
        let all = try await store.documents(matching: .descendants(of: nil))
        _ = try await other.store(for: .gateway).commit(all.map { Write.set($0.path, $0.fields) })
        let texts = try await engine.texts(entries)
        #expect(texts.count > 100)
        #expect(try await texts == other.texts(entries))
        await other.close()
        await engine.close()
    }

    @Test("Indexes that a gateway adds are filled, other gateways write them too, and those of no setting are emptied")
    func additions() async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let old = try await open(nil, url)
        func set(_ id: String, in engine: PostgreSQLEngine) async throws {
            _ = try await engine.store(for: .gateway).commit([
                .set(DocumentPath("t/\(id)"), ["f": .string(id), "x": .null])
            ])
        }
        try await set("a", in: old)
        #expect(try await old.texts(entries) == [])
        let new = try await open(.ofOneType, url)
        #expect(try await new.texts(entries).count == 1)
        try await set("b", in: old)
        #expect(
            try await new.store(for: .gateway).ids(.collection(CollectionPath("t")).where("f", .equal, .string("b")))
                == ["b"])
        let automatic = try await open(.automatic, url)
        #expect(try await new.texts(entries).count == 6)
        try await set("c", in: old)
        #expect(try await new.texts(entries).count == 9)
        for engine in [old, new, automatic] { await engine.close() }
        let last = try await open(nil, url)
        #expect(try await last.texts(entries).count == 3, "declared ones stay, as another gateway may use them")
        await last.close()
    }

    @Test("A connection forgets statements when their forms are too many, and goes on")
    func forms() async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let configuration = PostgreSQLStoreConfiguration(url: url, connections: 1, indexesFields: { _ in true })
        let engine = try PostgreSQLEngine(configuration, logger: Logger(label: "test"))
        let store = engine.store(for: .gateway)
        _ = try await store.commit([.set(DocumentPath("t/a"), ["f": .integer(99)])])
        var mostPrepared = 0
        for form in 0..<256 {
            var query = Query.collection(try CollectionPath("t"))
            query.filter = .or(
                (0..<8).map { .field("f", form >> $0 & 1 == 0 ? .equal : .greaterThanOrEqual, .integer(99)) })
            for query in [query, query.limited(to: 5)] { #expect(try await store.ids(query) == ["a"]) }
            let prepared = try await engine.texts("SELECT count(*)::text FROM pg_prepared_statements")
            mostPrepared = max(mostPrepared, Int(prepared.first ?? "") ?? .max)
        }
        #expect((200...260).contains(mostPrepared), "\(mostPrepared)")
        await engine.close()
    }

    @Test("A path that an index cannot have is refused with its size, and other commits of the group are not")
    func longPaths() async throws {
        let engine = try await open(.automatic)
        let store = engine.store(for: .gateway)
        var generator = SeededGenerator(seed: 1)
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        let name = { (count: Int) in String((0..<count).map { _ in letters[Int.random(in: 0..<62, using: &generator)] })
        }
        let longest = "\(name(450))/\(name(450))/\(name(450))/\(name(644))"
        let value = Value.string(name(100_000))
        let fields: Fields = ["f": value, "a": .array([value]), name(1_400): value]
        async let good = store.commit([.set(DocumentPath(longest), fields)])
        let bad = Write.set(try DocumentPath(longest + "x"), fields)
        let error = await #expect(throws: StoreError.self) { try await store.commit([bad]) }
        #expect(
            error?.code == .invalidArgument && error?.message.contains("2001 bytes") == true, "\(error?.message ?? "")")
        _ = try await good
        let query = Query.collection(try DocumentPath(longest).collection).where("f", .equal, value)
        #expect(try await store.documents(matching: query).map(\.path.description) == [longest])
        await engine.close()
    }
}
