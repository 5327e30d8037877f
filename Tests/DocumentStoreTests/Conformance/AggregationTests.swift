import DocumentStore
import Testing

@Suite("Conformance: aggregations")
struct AggregationTests {
    /// Runs the body with a query for a collection of one document for each value of the field `n`; `nil` stands for a
    /// document without it.
    private func withValues(
        _ engine: Engine, _ values: [Value?], _ body: (any DocumentStore, Query) async throws -> Void
    ) async throws {
        try await engine.withStore { store in
            let collection = try CollectionPath("t")
            let writes = try values.enumerated().map { place, value in
                var fields: Fields = ["w": .integer(Int64(place))]
                fields["n"] = value
                return Write.set(try collection.document("\(place)"), fields)
            }
            _ = try await store.commit(writes)
            try await body(store, .collection(collection))
        }
    }

    @Test("Aggregations over nothing are zero, zero and null", arguments: Engine.all)
    func nothing(engine: Engine) async throws {
        try await engine.withStore { store in
            let all = Query.collection(try CollectionPath("t"))
            let expected: [Value] = [.integer(0), .integer(0), .null]
            #expect(try await store.aggregate([.count, .sum("n"), .average("n")], over: all) == expected)
            try await store.set("t/a", ["n": .string("x")])
            let others: [Value] = [.integer(1), .integer(0), .null]
            #expect(try await store.aggregate([.count, .sum("n"), .average("n")], over: all) == others)
        }
    }

    @Test("A count needs no field, and a sum or an average counts only documents that have it", arguments: Engine.all)
    func counts(engine: Engine) async throws {
        try await withValues(engine, [.integer(1), .integer(4), .string("x"), .null, nil]) { store, all async throws in
            #expect(try await store.count(all) == 5)
            #expect(try await store.count(all.where("n", .greaterThan, .integer(1))) == 1)
            #expect(
                try await store.aggregate([.count, .sum("n"), .average("n")], over: all)
                    == [.integer(4), .integer(5), .double(2.5)])
            #expect(
                try await store.aggregate([.count, .sum("w"), .average("n")], over: all)
                    == [.integer(4), .integer(6), .double(2.5)])
            #expect(try await store.aggregate([.count, .sum("none")], over: all) == [.integer(0), .integer(0)])
        }
    }

    @Test("The query's limit, offset and cursors select the documents first", arguments: Engine.all)
    func limits(engine: Engine) async throws {
        let values: [Value?] = [.integer(8), .integer(5), .integer(-10), .string("x"), .null, nil]
        try await withValues(engine, values) { store, all async throws in
            #expect(try await store.count(all.limited(to: 2)) == 2)
            #expect(try await store.count(all.limited(to: 0)) == 0)
            var later = all
            later.offset = 2
            #expect(try await store.count(later) == 4)
            // An aggregated field is an order, too, as that of an inequality is.
            let least = try await store.aggregate([.count, .sum("n")], over: all.limited(to: 2))
            #expect(least == [.integer(2), .integer(-10)])
            let first = all.where("w", .greaterThanOrEqual, .integer(0)).limited(to: 1)
            #expect(try await store.aggregate([.sum("n")], over: first) == [.integer(8)])
            let last = all.ordered(by: "w", .descending).limited(to: 2)
            #expect(try await store.aggregate([.count, .sum("w")], over: last) == [.integer(2), .integer(9)])
            let named = all.ordered(by: .documentName).limited(to: 2)
            #expect(try await store.aggregate([.sum("n")], over: named) == [.integer(13)])
            var bounded = all.ordered(by: "n")
            bounded.start = Cursor([.integer(5)], isAfter: false)
            bounded.end = Cursor([.integer(8)], isAfter: true)
            #expect(try await store.aggregate([.sum("n"), .count], over: bounded) == [.integer(13), .integer(2)])
        }
    }

    @Test("A count with a limit stops there", arguments: Engine.all)
    func upTo(engine: Engine) async throws {
        try await withValues(engine, [.integer(1), .integer(2), .integer(3)]) { store, all async throws in
            let counts: [Aggregation] = [.countUpTo(2), .countUpTo(0), .countUpTo(9), .count, .sum("n")]
            for (count, expected) in zip(counts, [2, 0, 3, 3, 6]) {
                #expect(try await store.aggregate([count], over: all) == [.integer(Int64(expected))])
            }
            let together = try await store.aggregate(counts, over: all)
            #expect(together == [.integer(2), .integer(0), .integer(3), .integer(3), .integer(6)])
            #expect(try await store.aggregate([.countUpTo(2)], over: all.limited(to: 1)) == [.integer(1)])
        }
    }

    /// Values, their sum and their mean.
    private static let sums: [([Value], Value, Value)] = [
        ([.integer(.max), .integer(1), .integer(-1)], .integer(.max), .double(0x1p63 / 3)),
        ([.integer(.max), .integer(.max)], .double(0x1p64), .double(0x1p63)),
        ([.integer(.min), .integer(-1)], .double(-0x1p63), .double(-0x1p62)),
        ([.integer(.min), .integer(.min), .integer(.max), .integer(.max)], .integer(-2), .double(-0.5)),
        (
            [.integer(9_007_199_254_740_992), .integer(1), .integer(1)], .integer(9_007_199_254_740_994),
            .double(9_007_199_254_740_994 / 3)
        ),
        ([.integer(1), .double(0.5)], .double(1.5), .double(0.75)),
        ([.integer(1), .double(2)], .double(3), .double(1.5)),
        ([.double(-0.0)], .double(0), .double(0)),
        ([.double(1e308), .double(1e308)], .double(.infinity), .double(.infinity)),
    ]

    @Test("A sum is an integer while all numbers are and the total fits 64 bits", arguments: Engine.all)
    func sums(engine: Engine) async throws {
        for (values, sum, mean) in Self.sums {
            try await withValues(engine, values) { store, all async throws in
                #expect(try await store.aggregate([.sum("n"), .average("n")], over: all) == [sum, mean])
            }
        }
    }

    @Test("A sum is NaN with NaN, or with both infinities", arguments: Engine.all)
    func nan(engine: Engine) async throws {
        for values in [[Value.integer(1), .double(.nan)], [.double(.infinity), .double(-.infinity)]] {
            try await withValues(engine, values) { store, all async throws in
                for value in try await store.aggregate([.sum("n"), .average("n")], over: all) {
                    guard case .double(let number) = value else {
                        Issue.record("\(value) is not a double")
                        continue
                    }
                    #expect(number.isNaN)
                }
            }
        }
    }

    @Test("Invalid aggregations are refused with Firestore's reasons", arguments: Engine.all)
    func refused(engine: Engine) async throws {
        let rows: [([Aggregation], String)] = [
            ([], "Aggregations can not be empty."),
            (
                [Aggregation](repeating: .count, count: 6),
                "The maximum number of aggregations allowed in an aggregation query is 5. Received: 6"
            ),
            (
                [.countUpTo(-1)],
                "The `up_to` value in a COUNT aggregation must be greater than or equal to zero."
            ),
            ([.sum(.documentName)], "Aggregations are not supported for the property: __key__"),
            ([.count, .average(.documentName)], "Aggregations are not supported for the property: __key__"),
        ]
        try await engine.withStore { store in
            let all = Query.collection(try CollectionPath("t"))
            for (aggregations, message) in rows {
                let error = await expectError(.invalidArgument) {
                    try await store.aggregate(aggregations, over: all)
                }
                #expect(error?.message == message)
            }
        }
    }
}
