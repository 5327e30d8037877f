import DocumentStore
import Testing

@Suite("Conformance: filters")
struct FilterTests {
    /// A filter on the field `f`, and the ids of the matching documents in the query's order.
    struct Row: Sendable {
        let filter: Filter
        let ids: String

        init(_ filter: Filter, _ ids: String) {
            self.filter = filter
            self.ids = ids
        }
    }

    /// The values of the documents `t/a`, `t/b`, …; `nil` stands for a document without the field.
    private static let values: [Value?] = [
        .integer(1), .double(2.5), .integer(3), .string("2"), .null, nil, .boolean(true), .double(.nan),
        .array([.integer(1)]), .array([.double(.nan)]), .array([.null]), .map(["a": .double(.nan)]),
        .map(["a": .null]),
    ]
    private static let nan = Value.double(.nan)

    private static func equal(_ value: Value) -> Filter { .field("f", .equal, value) }
    private static func integers(_ count: Int) -> Value { .array((0..<count).map { .integer(Int64($0)) }) }

    /// Runs the body with a query for a collection of one document for each value.
    private func withValues(
        _ engine: Engine, _ body: (any DocumentStore, Query) async throws -> Void
    ) async throws {
        try await engine.withStore { store in
            let collection = try CollectionPath("t")
            let writes = try zip("abcdefghijklm", Self.values).map { id, value in
                Write.set(try collection.document("\(id)"), value.map { ["f": $0] } ?? [:])
            }
            _ = try await store.commit(writes)
            try await body(store, .collection(collection))
        }
    }

    private func expect(_ rows: [Row], _ engine: Engine) async throws {
        try await withValues(engine) { store, all async throws in
            for row in rows {
                var query = all
                query.filter = row.filter
                let ids = try await store.ids(query).joined()
                #expect(ids == row.ids, "\(row.filter)")
            }
        }
    }

    // MARK: Null and NaN

    @Test("Null and NaN as operands are equal to no value and in no range", arguments: Engine.all)
    func nothing(engine: Engine) async throws {
        let comparisons: [Filter.Comparison] = [
            .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .arrayContains,
        ]
        try await expect(comparisons.map { Row(.field("f", $0, .null), "") }, engine)
        try await expect(comparisons.map { Row(.field("f", $0, Self.nan), "") }, engine)
        try await expect(
            [
                Row(.field("f", .notEqual, .null), ""), Row(.field("f", .notIn, .array([.null])), ""),
                Row(.field("f", .notIn, .array([.null, .integer(1)])), ""),
            ], engine)
    }

    @Test("Null and NaN in a list of operands are passed over", arguments: Engine.all)
    func lists(engine: Engine) async throws {
        try await expect(
            [
                Row(.field("f", .in, .array([.null])), ""), Row(.field("f", .in, .array([Self.nan])), ""),
                Row(.field("f", .in, .array([.null, .integer(1)])), "a"),
                Row(.field("f", .in, .array([Self.nan, .string("2")])), "d"),
                Row(.field("f", .arrayContainsAny, .array([.null, .integer(1)])), "i"),
                Row(.field("f", .arrayContainsAny, .array([Self.nan])), ""),
            ], engine)
    }

    @Test("NaN as an excluded operand leaves out null only", arguments: Engine.all)
    func excludedNaN(engine: Engine) async throws {
        try await expect(
            [
                Row(.field("f", .notEqual, Self.nan), "ghabcdkjiml"),
                Row(.field("f", .notIn, .array([Self.nan])), "ghabcdkjiml"),
                Row(.field("f", .notIn, .array([Self.nan, .integer(1)])), "ghbcdkjiml"),
                Row(.field("f", .notEqual, .integer(3)), "ghabdkjiml"),
            ], engine)
    }

    @Test("Null and NaN inside arrays and maps are compared as values", arguments: Engine.all)
    func nested(engine: Engine) async throws {
        try await expect(
            [
                Row(Self.equal(.array([Self.nan])), "j"), Row(Self.equal(.array([.null])), "k"),
                Row(Self.equal(.map(["a": Self.nan])), "l"), Row(.field("f", .in, .array([.map(["a": .null])])), "m"),
                Row(.field("f", .lessThanOrEqual, .array([Self.nan])), "kj"),
                Row(.field("f", .greaterThan, .array([.null])), "ji"),
                Row(.field("f", .greaterThan, .map(["a": .null])), "l"),
                Row(.field("f", .notEqual, .array([.null])), "ghabcdjiml"),
            ], engine)
    }

    @Test("Tests without an operand find null and NaN, and leave out missing fields", arguments: Engine.all)
    func unary(engine: Engine) async throws {
        try await expect(
            [
                Row(.unary("f", .isNull), "e"), Row(.unary("f", .isNaN), "h"),
                Row(.unary("f", .isNotNull), "ghabcdkjiml"), Row(.unary("f", .isNotNaN), "gabcdkjiml"),
                Row(.or([.unary("f", .isNull), .unary("f", .isNaN)]), "eh"),
            ], engine)
    }

    // MARK: Combinations

    @Test("AND and OR nest in any depth, and each document occurs once", arguments: Engine.all)
    func composites(engine: Engine) async throws {
        let deep = (0..<12).reduce(Self.equal(.integer(1))) { filter, level in
            level.isMultiple(of: 2) ? .or([filter, filter]) : .and([filter, .and([])])
        }
        try await expect(
            [
                Row(.and([]), "abcdefghijklm"), Row(.and([.and([])]), "abcdefghijklm"),
                Row(.or([.and([]), Self.equal(.integer(1))]), "abcdefghijklm"), Row(deep, "a"),
                Row(.or([Self.equal(.integer(1)), .field("f", .in, .array([.integer(1), .integer(3)]))]), "ac"),
                Row(
                    .and([
                        .or([.field("f", .greaterThan, .integer(1)), .unary("f", .isNull)]),
                        .or([.field("f", .lessThan, .integer(3)), Self.equal(.string("2"))]),
                    ]), "b"),
                Row(.or([.field("f", .arrayContains, .integer(1)), .field("f", .arrayContains, Self.nan)]), "i"),
            ], engine)
    }

    @Test("Filters up to the limits are accepted", arguments: Engine.all)
    func accepted(engine: Engine) async throws {
        func list(_ field: FieldPath, _ count: Int) -> Filter { .field(field, .in, Self.integers(count)) }
        try await expect(
            [
                Row(list("f", 30), "ac"), Row(.field("f", .notIn, Self.integers(10)), "ghbdkjiml"),
                Row(.field("f", .arrayContainsAny, Self.integers(30)), "i"),
                Row(.and([list("f", 6), list("g", 5)]), ""), Row(.and([list("f", 6), list("f", 6)]), "ac"),
                Row(.or((0..<30).map { Self.equal(.integer($0)) }), "ac"),
                Row(.or((0..<31).map { _ in Self.equal(.integer(1)) }), "a"),
                Row(.or([.field("f", .notEqual, .integer(1)), Self.equal(.integer(1))]), "ghabcdkjiml"),
            ], engine)
    }

    @Test("Filters beyond the limits are refused with Firestore's reasons", arguments: Engine.all)
    func refused(engine: Engine) async throws {
        let negations =
            "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query."
        let mixed = "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'."
        let arrays = "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction."
        func disjunctions(_ count: Int) -> String {
            "Too many disjunctions after normalization. Result had \(count) disjunctions which is more than the "
                + "maximum of 30"
        }
        let not = Filter.field("f", .notEqual, .integer(1))
        let notIn = Filter.field("f", .notIn, .array([.integer(1)]))
        let contains = Filter.field("f", .arrayContains, .integer(1))
        func list(_ comparison: Filter.Comparison, _ count: Int) -> Filter {
            .field("g", comparison, Self.integers(count))
        }
        let rows: [(Filter, String)] = [
            (.and([not, .field("g", .notEqual, .integer(2))]), negations),
            (.or([not, .unary("f", .isNotNull)]), negations), (.and([notIn, not]), negations),
            (.and([.unary("f", .isNotNaN), .unary("g", .isNotNull)]), negations),
            (.and([notIn, list(.in, 2)]), mixed), (.and([notIn, list(.arrayContainsAny, 2)]), mixed),
            (.and([notIn, .or([Self.equal(.integer(1))])]), mixed), (.or([notIn, Self.equal(.integer(1))]), mixed),
            (.and([contains, .field("g", .arrayContains, .integer(1))]), arrays),
            (.and([contains, list(.arrayContainsAny, 1)]), arrays),
            (.and([contains, .field("g", .arrayContainsAny, .array([.null]))]), arrays),
            (.and([contains, .field("g", .arrayContains, .double(.nan))]), arrays),
            (.and([.field("f", .in, Self.integers(6)), list(.in, 6)]), disjunctions(36)),
            (.and([.field("f", .in, Self.integers(6)), list(.arrayContainsAny, 6)]), disjunctions(36)),
            (.or((0..<31).map { Self.equal(.integer($0)) }), disjunctions(31)),
            (list(.in, 31), "'IN' supports up to 30 comparison values."),
            (list(.notIn, 11), "'NOT_IN' supports up to 10 comparison values."),
            (list(.arrayContainsAny, 31), "'ARRAY_CONTAINS_ANY' supports up to 30 comparison values."),
            (list(.in, 0), "'IN' requires an non-empty ArrayValue."),
            (.field("f", .notIn, .integer(1)), "'NOT_IN' requires an ArrayValue."),
            (.or([]), "Composite filter must have at least one sub-filter."),
            (.field(.documentName, .equal, .string("t/a")), "__key__ filter value must be a Key"),
            (.field(.documentName, .in, .array([.null])), "__key__ filter value must be a Key"),
            (.unary(.documentName, .isNull), "__key__ filter value must be a Key"),
            (.field(.documentName, .arrayContains, .null), "the name __key__ is reserved"),
        ]
        try await withValues(engine) { store, all async throws in
            for (filter, message) in rows {
                var query = all
                query.filter = filter
                let error = await expectError(.invalidArgument) { try await store.documents(matching: query) }
                #expect(error?.message == message)
            }
        }
    }
}
