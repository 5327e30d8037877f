import TestDoubles
import Testing

@testable import DocumentStore

@Suite("Order of values")
struct ValueOrderTests {
    private static let sorted: [Value] = [
        .null, .boolean(false), .boolean(true), .double(.nan), .double(-.infinity), .double(-0x1.8p63), .integer(.min),
        .integer(.min + 1), .double(-1.5), .integer(-1), .integer(0), .double(.leastNonzeroMagnitude), .integer(1),
        .double(1.5), .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993), .double(9_007_199_254_740_994),
        .integer(.max - 1), .integer(.max), .double(0x1p63), .double(.infinity), .timestamp(.distantPast),
        .timestamp(.distantFuture), .string(""), .string("a"), .string("a\u{0}"), .string("a\u{0}\u{0}"),
        .string("a\u{0}b"), .string("a\u{1}"), .string("ab"), .string("\u{FFFD}"), .string("😀"), .bytes([]),
        .bytes([0]),
        .bytes([0, 1]), .bytes([0, 255]), .bytes([255]), .reference("a/b"), .reference("a/b/c"), .reference("a/b!"),
        .reference("a!/b"), .geoPoint(latitude: -1, longitude: 1), .geoPoint(latitude: 0, longitude: -1),
        .geoPoint(latitude: 0, longitude: 0), .array([]), .array([.null]), .array([.null, .null]), .array([.map([:])]),
        .map([:]), .map(["a": .null]), .map(["a": .null, "b": .null]), .map(["a": .integer(0)]), .map(["b": .null]),
    ]

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

    @Test("The sort keys of one type form one range")
    func ranges() {
        for value in Self.sorted {
            let key = SortKey(value).bytes
            #expect(!key.lexicographicallyPrecedes(SortKey.lowerBound(of: value.rank)))
            #expect(key.lexicographicallyPrecedes(SortKey.upperBound(of: value.rank)))
        }
    }

    private func keyOrdering(_ one: Value, _ other: Value) -> Ordering {
        let (left, right) = (SortKey(one).bytes, SortKey(other).bytes)
        if left == right { return .same }
        return left.lexicographicallyPrecedes(right) ? .before : .after
    }
}
