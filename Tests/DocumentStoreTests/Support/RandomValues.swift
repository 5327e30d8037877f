import TestDoubles

@testable import DocumentStore

extension SeededGenerator {
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// Returns a value from a small set, so that equal and nearly equal ones are frequent.
    mutating func value(depth: Int = 2) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 15 : 11), using: &self) {
        case 0: .null
        case 1: .boolean(Bool.random(using: &self))
        case 2, 3: .integer(pick([-1, 0, 1, 2, 9_007_199_254_740_993, .min, .max]))
        case 4, 5:
            .double(
                pick([
                    -1, -0.0, 0, 0.1, 0.5, 1, 2, 9_007_199_254_740_992, 0x1p63, -0x1p63, .infinity, -.infinity, .nan,
                    .leastNonzeroMagnitude, Double.leastNonzeroMagnitude * 3, 1.7976931348623157e308,
                    0.30000000000000004,
                ]))
        case 6: .timestamp(Timestamp(microseconds: pick([Int64.min, -1, 0, 1, 1_700_000_000_000_000, .max])))
        case 7, 8: .string(string())
        case 9: .bytes(pick([[], [0], [0, 0], [0, 255], [1], [255]]))
        case 10: depth == 0 ? .geoPoint(latitude: pick([-1, 0, 1]), longitude: pick([-1.5, 0])) : reference()
        case 11: .geoPoint(latitude: pick([-1, 0, 1]), longitude: pick([-1.5, 0]))
        case 12: .array(elements(depth: depth - 1))
        case 13: tagged()
        default: .map(fields(["a", "b", "é", "a\u{0}"], depth: depth - 1))
        }
    }

    /// The common beginning of values that an automatic index cannot tell apart.
    private static let long = String(repeating: "x", count: FieldEntry.longestKey)

    mutating func string() -> String {
        pick([
            "", "a", "a\u{0}", "a\u{0}b", "a\u{1}", "a\u{2}", "aa", "B", "é", "e\u{301}", "😀", "\u{FFFD}", "\"\\'", "1",
            Self.long + "a", Self.long + "b", Self.long + "\u{0}",
        ])
    }

    /// Returns a vector or a value of a BSON type.
    private mutating func tagged() -> Value {
        pick([
            .vector([0]), .vector([1]), .vector([-0.0, 1]), .vector([0, .infinity]), .map(["__min__": .null]),
            .map(["__max__": .null]), .map(["__int__": .integer(1)]), .map(["__decimal128__": .string("0.5")]),
            .map(["__decimal128__": .string("NaN")]), .map(["__binary__": .bytes([0, 0])]),
            .map(["__oid__": .string("0123456789abcdef01234567")]),
            .map(["__regex__": .map(["pattern": .string("a"), "options": .string("i")])]),
            .map(["__request_timestamp__": .map(["seconds": .integer(1), "increment": .integer(2)])]),
        ])
    }

    private mutating func reference() -> Value {
        let paths = ["a/b", "a!/b", "a/b/c/d", "a/b!", "a/__id-2__", "a/__id7__", "a/__id12__", "a/7"]
        return .reference("projects/p/databases/d/documents/\(pick(paths))")
    }

    private mutating func elements(depth: Int) -> [Value] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in value(depth: depth) }.filter {
            $0.array == nil && $0.vector == nil
        }
    }

    mutating func fields(_ names: [String], depth: Int = 2) -> Fields {
        var fields: Fields = [:]
        for name in names where chance(60) { fields[name] = value(depth: depth) }
        return fields
    }
}
