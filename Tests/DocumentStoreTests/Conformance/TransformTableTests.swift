import DocumentStore
import JSON
import Testing

@Suite("Conformance: results of transforms")
struct TransformTableTests {
    /// A field's value, or `nil` for a missing field; the transforms; the field afterwards; the results.
    typealias Row = (value: Value?, transforms: [FieldTransform.Operation], after: Value, results: [Value])

    private static func row(_ value: Value?, _ operation: FieldTransform.Operation, _ after: Value) -> Row {
        switch operation {
        case .arrayUnion, .arrayRemove: (value, [operation], after, [.null])
        default: (value, [operation], after, [after])
        }
    }

    /// Runs each row on a document of its own, and compares values by their JSON, in which 1 and 1.0, and 0.0 and -0.0,
    /// differ.
    private func expect(_ rows: [Row], _ engine: Engine, _ location: SourceLocation = #_sourceLocation) async throws {
        try await engine.withStore { store in
            for (index, row) in rows.enumerated() {
                let path = try DocumentPath("t/\(index)")
                if let value = row.value { _ = try await store.commit([.set(path, ["f": value])]) }
                let transforms = row.transforms.map { FieldTransform("f", $0) }
                let result = try await store.commit([.merge(path, [:], mask: [], transforms: transforms)])
                let after = try await store.document(at: path)?["f"]
                #expect(after?.json.text == row.after.json.text, "row \(index)", sourceLocation: location)
                #expect(
                    result.transformResults(ofWrite: 0).map(\.json.text) == row.results.map(\.json.text),
                    "row \(index)", sourceLocation: location)
            }
        }
    }

    @Test("An increment gives Firestore's result for each type of field and operand", arguments: Engine.all)
    func increment(engine: Engine) async throws {
        let rows: [Row] = [
            Self.row(.integer(5), .increment(.integer(-7)), .integer(-2)),
            Self.row(.integer(.max), .increment(.integer(1)), .integer(.max)),
            Self.row(.integer(.min), .increment(.integer(-1)), .integer(.min)),
            Self.row(.integer(1), .increment(.double(0)), .double(1)),
            Self.row(.double(1.5), .increment(.integer(1)), .double(2.5)),
            Self.row(.integer(.max), .increment(.double(1)), .double(0x1p63)),
            Self.row(.double(-0.0), .increment(.integer(0)), .double(0)),
            Self.row(.double(.nan), .increment(.integer(1)), .double(.nan)),
            Self.row(.double(1), .increment(.double(.nan)), .double(.nan)),
            Self.row(nil, .increment(.integer(4)), .integer(4)),
            Self.row(.null, .increment(.integer(3)), .integer(3)),
            Self.row(.string("x"), .increment(.double(2.5)), .double(2.5)),
            Self.row(.vector([1]), .increment(.integer(1)), .integer(1)),
            Self.row(.map(["__int__": .integer(1)]), .increment(.integer(1)), .integer(1)),
        ]
        try await expect(rows, engine)
    }

    @Test(
        "Maximum and minimum give the further number, the field's own of two equal ones, or NaN", arguments: Engine.all)
    func extremes(engine: Engine) async throws {
        let rows: [Row] = [
            Self.row(.integer(5), .maximum(.double(5)), .integer(5)),
            Self.row(.double(5), .maximum(.integer(5)), .double(5)),
            Self.row(.integer(5), .minimum(.double(5)), .integer(5)),
            Self.row(.double(5), .minimum(.integer(5)), .double(5)),
            Self.row(.integer(5), .maximum(.integer(6)), .integer(6)),
            Self.row(.integer(5), .minimum(.double(4.5)), .double(4.5)),
            Self.row(.integer(5), .minimum(.integer(6)), .integer(5)),
            Self.row(.double(-0.0), .maximum(.integer(0)), .double(-0.0)),
            Self.row(.integer(0), .minimum(.double(-0.0)), .integer(0)),
            Self.row(.double(.nan), .maximum(.integer(5)), .double(.nan)),
            Self.row(.double(.nan), .minimum(.integer(5)), .double(.nan)),
            Self.row(.integer(5), .maximum(.double(.nan)), .double(.nan)),
            Self.row(.integer(5), .minimum(.double(.nan)), .double(.nan)),
            Self.row(
                .integer(9_007_199_254_740_993), .maximum(.double(0x1p53)), .integer(9_007_199_254_740_993)),
            Self.row(.double(0x1p53), .maximum(.integer(9_007_199_254_740_993)), .integer(9_007_199_254_740_993)),
            Self.row(.integer(.max), .maximum(.double(0x1p63)), .double(0x1p63)),
            Self.row(nil, .maximum(.integer(-1)), .integer(-1)), Self.row(.null, .minimum(.double(9)), .double(9)),
            Self.row(.string("x"), .minimum(.double(.nan)), .double(.nan)),
        ]
        try await expect(rows, engine)
    }

    @Test("Union and removal compare elements by value and give null as their result", arguments: Engine.all)
    func arrays(engine: Engine) async throws {
        let rows: [Row] = [
            Self.row(
                .array([.integer(1), .double(.nan)]),
                .arrayUnion([
                    .double(1), .double(.nan), .string("b"), .string("b"), .map(["x": .integer(1)]),
                    .map(["x": .double(1)]),
                ]), .array([.integer(1), .double(.nan), .string("b"), .map(["x": .integer(1)])])),
            Self.row(
                .array([.integer(1), .integer(1)]), .arrayUnion([.integer(2)]),
                .array([.integer(1), .integer(1), .integer(2)])),
            Self.row(.string("x"), .arrayUnion([.integer(1), .double(1), .integer(1)]), .array([.integer(1)])),
            Self.row(nil, .arrayUnion([.null, .null]), .array([.null])), Self.row(nil, .arrayUnion([]), .array([])),
            Self.row(.vector([1, 2]), .arrayUnion([.integer(1)]), .array([.integer(1)])),
            Self.row(
                .array([.integer(1), .double(1), .string("q"), .integer(1)]), .arrayRemove([.integer(1)]),
                .array([.string("q")])),
            Self.row(.string("x"), .arrayRemove([.integer(1)]), .array([])),
            Self.row(nil, .arrayRemove([.integer(1)]), .array([])),
            Self.row(
                .array([.integer(1)]), .arrayRemove([.array([.integer(1)]), .vector([1])]), .array([.integer(1)])),
        ]
        try await expect(rows, engine)
    }

    @Test("Several transforms of one field apply one after the other", arguments: Engine.all)
    func sequence(engine: Engine) async throws {
        let row: Row = (
            .integer(1),
            [
                .increment(.integer(1)), .increment(.double(1.5)), .maximum(.integer(9)), .arrayUnion([.integer(1)]),
                .arrayRemove([.double(1)]),
            ], .array([]), [.integer(2), .double(3.5), .integer(9), .null, .null]
        )
        try await expect([row], engine)
    }

    @Test("The request time is the commit time in whole milliseconds, one for all writes", arguments: Engine.all)
    func requestTime(engine: Engine) async throws {
        let clock = TestClock("2024-05-01T12:00:00.123456Z")
        try await engine.withStore(clock: clock) { store in
            let nested = FieldPath(segments: ["m", "n", "at"])
            let result = try await store.commit([
                .set(DocumentPath("t/a"), ["m": .integer(5)], transforms: [FieldTransform(nested, .requestTime)]),
                .set(DocumentPath("t/b"), [:]),
                .set(
                    DocumentPath("t/c"), [:],
                    transforms: [FieldTransform("at", .requestTime), FieldTransform("exact", .serverTime)]),
            ])
            let time = Value.timestamp(try Timestamp(parsing: "2024-05-01T12:00:00.123Z"))
            let exact = Value.timestamp(result.commitTime)
            #expect(result.commitTime == (try Timestamp(parsing: "2024-05-01T12:00:00.123456Z")))
            #expect((0..<3).map(result.transformResults(ofWrite:)) == [[time], [], [time, exact]])
            #expect(try await store.fields("t/a") == ["m": .map(["n": .map(["at": time])])])
            #expect(try await store.fields("t/c") == ["at": time, "exact": exact])
        }
    }

    @Test("An invalid transform is refused with Firestore's text", arguments: Engine.all)
    func refusals(engine: Engine) async throws {
        let refusals: [(FieldTransform, String)] = [
            (FieldTransform("f", .increment(.string("1"))), "Input must be int64 or double."),
            (FieldTransform("f", .maximum(.null)), "Input must be int64 or double."),
            (FieldTransform("f", .minimum(.map([:]))), "Input must be int64 or double."),
            (FieldTransform("f", .arrayUnion([.array([])])), "Cannot convert an array value in an array value."),
            (FieldTransform("f", .arrayUnion([.vector([1])])), "Cannot convert a vector value in an array value."),
            (FieldTransform("__name__", .serverTime), "Invalid reserved name in field path __name__"),
            (
                FieldTransform(FieldPath(segments: ["a", "__x__"]), .requestTime),
                "Invalid reserved name in field path __x__"
            ),
        ]
        try await engine.withStore { store in
            for (transform, text) in refusals {
                let error = await expectError(.invalidArgument) {
                    try await store.commit([.set(DocumentPath("t/d"), [:], transforms: [transform])])
                }
                #expect(error?.message == text)
            }
        }
    }
}
