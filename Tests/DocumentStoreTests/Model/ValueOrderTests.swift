import TestDoubles
import Testing

@testable import DocumentStore

@Suite("Order of values")
struct ValueOrderTests {
    private static let sorted: [Value] = [
        .null, bson("__min__", .null), .boolean(false), .boolean(true), .double(.nan), .double(-.infinity),
        .double(-0x1.8p63), .integer(.min),
        .integer(.min + 1), .double(-1.5), .integer(-1), .integer(0), .double(.leastNonzeroMagnitude), .integer(1),
        .double(1.5), bson("__int__", .integer(2)), bson("__decimal128__", .string("2.5")),
        bson("__decimal128__", .string("3E+2")), bson("__int__", .integer(301)), .double(9_007_199_254_740_992),
        .integer(9_007_199_254_740_993), .double(9_007_199_254_740_994),
        .integer(.max - 1), .integer(.max), .double(0x1p63), .double(.infinity), .timestamp(.distantPast),
        .timestamp(.distantFuture), request(1, 2), request(1, 3), request(2, 0), request(4_294_967_295, 0), .string(""),
        .string("a"), .string("a\u{0}"), .string("a\u{0}\u{0}"),
        .string("a\u{0}b"), .string("a\u{1}"), .string("ab"), .string("\u{FFFD}"), .string("😀"), .bytes([]),
        .bytes([0]),
        .bytes([0, 1]), .bytes([0, 255]), .bytes([255]), bson("__binary__", .bytes([0])),
        bson("__binary__", .bytes([0, 0])), bson("__binary__", .bytes([1])), .reference("a/__id-9223372036854775808__"),
        .reference("a/__id-2__"), .reference("a/__id7__"), .reference("a/__id7__/c/d"), .reference("a/__id12__"),
        .reference("a/__id9223372036854775807__"), .reference("a/12"), .reference("a/7"), .reference("a/A"),
        .reference("a/__id07__"), .reference("a/__id0__"), .reference("a/__id7"), .reference("a/__id7__x"),
        .reference("a/b"), .reference("a/b/__id7__"), .reference("a/b/c"),
        .reference("a/b!"),
        .reference("a!/b"), .reference("projects/p/databases/d/documents/a/b/c/d"),
        .reference("projects/p/databases/d/documents/a!/b"), .reference("projects/p/databases/e/documents/a/b"),
        .reference("projects/p!/databases/d/documents/a/b"), bson("__oid__", .string("0123456789abcdef01234567")),
        bson("__oid__", .string("1123456789abcdef01234567")), .geoPoint(latitude: -1, longitude: 1),
        .geoPoint(latitude: 0, longitude: -1),
        .geoPoint(latitude: 0, longitude: 0), regex("a", ""), regex("a", "i"), regex("ab", ""), .array([]),
        .array([.null]), .array([.null, .null]), .array([.integer(1)]), .array([.integer(1), .null]),
        .array([.integer(2)]), .array([.map([:])]), .vector([9]), .vector([-.infinity, 5]), .vector([0, 1]),
        .vector([0, 2]), .vector([0, 0, 0]), .map([:]), .map(["a": .null]), .map(["a": .null, "b": .null]),
        .map(["a": .integer(1)]), .map(["a": .integer(1), "b": .integer(0)]), .map(["a": .integer(2)]),
        .map(["a": .vector([1])]), .map(["aa": .integer(0)]), .map(["b": .integer(0)]), bson("__max__", .null),
    ]

    private static func bson(_ name: String, _ value: Value) -> Value { .map([name: value]) }

    private static func request(_ seconds: Int64, _ increment: Int64) -> Value {
        bson("__request_timestamp__", .map(["seconds": .integer(seconds), "increment": .integer(increment)]))
    }

    private static func regex(_ pattern: String, _ options: String) -> Value {
        bson("__regex__", .map(["pattern": .string(pattern), "options": .string(options)]))
    }

    @Test("Values and their sort keys are in Firestore's order")
    func order() {
        for (index, one) in Self.sorted.enumerated() {
            for (otherIndex, other) in Self.sorted.enumerated() {
                let expected = Ordering(index, otherIndex)
                #expect(one.ordering(to: other) == expected, "\(one) and \(other)")
                #expect(keyOrdering(one, other) == expected, "the keys of \(one) and \(other)")
            }
        }
    }

    @Test(
        "Some different values match and have equal sort keys",
        arguments: [
            (.integer(5), .double(5)), (.double(0), .double(-0.0)), (.integer(0), .double(-0.0)),
            (.double(.nan), .double(-.nan)), (.integer(.min), .double(-0x1p63)),
            (.array([.integer(1)]), .array([.double(1)])), (.map(["a": .integer(1)]), .map(["a": .double(1)])),
            (.vector([0, 1]), .vector([-0.0, 1])), (.integer(7), .map(["__int__": .integer(7)])),
            (.double(7), .map(["__decimal128__": .string("7.0")])),
            (.double(.nan), .map(["__decimal128__": .string("NaN")])),
            (.double(.infinity), .map(["__decimal128__": .string("inf")])),
        ] as [(Value, Value)])
    func matching(one: Value, other: Value) {
        #expect(one.matches(other))
        #expect(SortKey(one).bytes == SortKey(other).bytes)
    }

    @Test("Random values and their sort keys have the same order", arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let values = (0..<120).map { _ in generator.value(depth: 3) }
        for one in values {
            for other in values {
                let ordering = one.ordering(to: other)
                #expect(keyOrdering(one, other) == ordering, "\(one) and \(other)")
                #expect(other.ordering(to: one) == ordering.reversed)
            }
        }
    }

    @Test("The sort keys of one type form one range, without NaN")
    func ranges() {
        for value in Self.sorted {
            let key = SortKey(value).bytes
            #expect(key.lexicographicallyPrecedes(SortKey.lowerBound(of: value.rank)) == value.isNaN)
            #expect(key.lexicographicallyPrecedes(SortKey.upperBound(of: value.rank)))
        }
    }

    private func keyOrdering(_ one: Value, _ other: Value) -> Ordering {
        let (left, right) = (SortKey(one).bytes, SortKey(other).bytes)
        if left == right { return .same }
        return left.lexicographicallyPrecedes(right) ? .before : .after
    }
}
