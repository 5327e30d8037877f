import DocumentStore
import Testing

@Suite("Conformance: limits of queries")
struct QueryLimitTests {
    private static func equal(_ number: Int) -> Filter { .field(FieldPath("f\(number)"), .equal, .integer(1)) }

    private static func and(_ count: Int) -> Filter { .and((0..<count).map(equal)) }

    private static func orders(_ count: Int) -> [Order] {
        (0..<count).map { Order(FieldPath("f\($0)"), $0 % 2 == 0 ? .ascending : .descending) }
    }

    private static func query(
        _ filter: Filter?, _ orders: [Order] = [], in collection: String = "t"
    ) throws -> Query {
        var query = Query.collection(try CollectionPath(collection))
        (query.filter, query.orders) = (filter, orders)
        return query
    }

    /// A filter of alternatives in conditions in alternatives, with two conditions for each level.
    private static func nested(_ levels: Int) -> Filter {
        (0..<levels).reduce(equal(0)) { inner, level in
            level % 2 == 0 ? .and([equal(0), .or([equal(0), inner])]) : .and([.or([inner, equal(0)]), equal(0)])
        }
    }

    /// A filter of single filters around each other.
    private static func around(_ filter: Filter, _ levels: Int) -> Filter {
        (0..<levels).reduce(filter) { inner, level in level % 2 == 0 ? .and([inner]) : .or([inner]) }
    }

    /// The values of a position in all of a hundred orders, which differs from others in the last one.
    private static func position(_ last: Int64) -> [Value] {
        (0..<99).map { _ in Value.integer(1) } + [.integer(last)]
    }

    /// Runs the body on a store with two documents that have the fields `f0` to `f99`, all of them 1 except the last.
    private func withDocuments(_ engine: Engine, _ body: (any DocumentStore) async throws -> Void) async throws {
        let fields = Fields((0..<100).map { ("f\($0)", Value.integer(1)) })
        try await engine.withStore { store async throws in
            for (id, last) in [("a", 1), ("b", 2)] as [(String, Int64)] {
                try await store.set("t/\(id)", fields.merging(["f99": .integer(last)]))
                try await store.set("t/a/u/\(id)", fields)
            }
            try await body(store)
        }
    }

    @Test("Queries at the limits are answered, and all their parts have an effect", arguments: Engine.all)
    func largest(engine: Engine) async throws {
        var chain = try Self.query(nil)
        for number in 0..<100 { chain = chain.where(FieldPath("f\(number)"), .equal, .integer(1)) }
        // The last order is descending.
        let (first, last) = (Self.position(2), Self.position(1))
        var (cursor, after, none) = (try Self.query(nil, Self.orders(100)), try Self.query(nil), try Self.query(nil))
        cursor.start = Cursor(first, isAfter: false)
        (after, none) = (cursor, cursor)
        after.start = Cursor(first, isAfter: true)
        after.end = Cursor(last, isAfter: true)
        none.start = Cursor(last, isAfter: true)
        let ranges = Filter.and((0..<10).map { .field(FieldPath("f\($0)"), .lessThan, .integer(2)) })
        let rows: [(Query, [String])] = [
            (try Self.query(Self.and(100)), ["a"]), (try Self.query(Self.and(50), Self.orders(50)), ["b", "a"]),
            (chain, ["a"]), (try Self.query(Self.nested(49)), ["a", "b"]),
            (try Self.query(Self.around(Self.equal(99), 100)), ["a"]), (cursor, ["b", "a"]), (after, ["a"]), (none, []),
            (try Self.query(Self.and(99), in: "t/a/u"), ["a", "b"]), (try Self.query(ranges), ["a", "b"]),
            (try Self.query(.and((0..<1_100).map { _ in .and([]) })), ["a", "b"]),
            (try Self.query(.or((0..<1_100).map { _ in .and([.or([.and([])])]) })), ["a", "b"]),
            (try Self.query(.and([.and([]), Self.and(99), .or([.and([]), Self.equal(99)])])), ["a", "b"]),
        ]
        try await withDocuments(engine) { store async throws in
            for (number, (query, ids)) in rows.enumerated() {
                #expect(try await store.ids(query) == ids, "row \(number)")
                let sum = try await store.aggregate([.count, .sum("f0")], over: query)
                #expect(sum == [.integer(Int64(ids.count)), .integer(Int64(ids.count))], "row \(number)")
                #expect(try await store.aggregate([.count], over: query) == [.integer(Int64(ids.count))])
            }
        }
    }

    private static let parts = "A query has at most 100 filters, orders and an ancestor together."
    private static let levels = "A filter has at most 100 filters around it."

    private static func tooLarge() throws -> [(Query, String)] {
        let ranges = Filter.and((0..<11).map { .field(FieldPath("f\($0)"), .lessThan, .integer(2)) })
        var group = Query.collectionGroup("u", below: try DocumentPath("t/a"))
        group.filter = and(100)
        return [
            (try query(and(101)), parts), (try query(and(1_100)), parts), (try query(.or([and(51), and(50)])), parts),
            (try query(.or((0..<1_100).map(equal))), parts),
            (try query(nil, orders(101)), parts), (try query(nil, orders(1_100)), parts),
            (try query(and(50), orders(51)), parts), (try query(and(100), in: "t/a/u"), parts), (group, parts),
            (try query(around(equal(1), 101)), levels), (try query(around(equal(1), 1_000)), levels),
            (try query(ranges), "A query has at most 10 fields with inequalities, not 11."),
        ]
    }

    @Test("A query over a limit is INVALID_ARGUMENT in each way of reading it, and is not run", arguments: Engine.all)
    func refused(engine: Engine) async throws {
        try await withDocuments(engine) { store async throws in
            for (query, message) in try Self.tooLarge() {
                let reads: [() async throws -> Void] = [
                    { _ = try await store.documents(matching: query) },
                    { _ = try await store.results(of: query) },
                    { _ = try await store.aggregate([.count], over: query) },
                    { _ = try await store.documents(at: [], matching: query) },
                    { for try await _ in store.watch(query) {} },
                ]
                for read in reads {
                    let error = await expectError(.invalidArgument) { try await read() }
                    #expect(error?.message == message)
                }
            }
        }
    }
}
