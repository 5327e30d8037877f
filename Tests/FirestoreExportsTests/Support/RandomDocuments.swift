import FirestoreProtos
import Foundation
import TestBasics
import Texts

@testable import FirestoreExports

extension SeededGenerator {
    /// Returns a document with fields of all types that exports can contain.
    mutating func document(_ number: Int) -> Document {
        let parents = (0..<self.number(0...2)).map { _ in "\(pick(Self.collections))/\(id())/" }.joined()
        return Document("\(parents)documents/\(number)", fields(depth: 4))
    }

    private static let collections = ["c", "ö", "d d", "__a", "e\u{301}"]

    private mutating func id() -> String {
        pick(["a", "__id5__", "__id-9223372036854775808__", "__id5__x", "ünï", "\u{301}", "x.y", "😀", "\u{1}", "%2F"])
    }

    private mutating func fields(depth: Int) -> [ExactText: Value.OneOf_ValueType] {
        let names: [ExactText] = [
            "a", "\u{E9}", "e\u{301}", "a.b", "`", "\\", "😀", "", "0", ExactText(String(repeating: "x", count: 1_500)),
            "value", "\n",
        ]
        return Dictionary(
            (0..<number(0...6)).map { _ in (pick(names), value(depth: depth)) }, uniquingKeysWith: { first, _ in first }
        )
    }

    private mutating func value(depth: Int) -> Value.OneOf_ValueType {
        switch number(0...(depth > 0 ? 13 : 8)) {
        case 0: .null
        case 1: .booleanValue(number(0...1) == 0)
        case 2: .integerValue(pick([0, 1, -1, .min, .max, Int64(number(0...1_000_000))]))
        case 3: .doubleValue(double())
        case 4: .time(pick([0, -1, -62_135_596_800, 253_402_300_799]), pick([0, 1_000, 999_999_000]))
        case 5, 6: .stringValue(string())
        case 7: .bytesValue(Data(pick([[], [0], Array(0...255), filler(1_600), filler(33_000)])))
        case 8: .referenceValue(reference())
        case 9: .point(pick([-90, -0.0, 52.5]), pick([-180, 0, 13.4]))
        case 10: .vector((0..<number(1...5)).map { _ in double() })
        case 11: .array((0..<number(0...4)).map { _ in element(depth: depth - 1) })
        case 12: tagged()
        default: .map(fields(depth: depth - 1))
        }
    }

    /// Returns a value that can be an element of an array.
    private mutating func element(depth: Int) -> Value.OneOf_ValueType {
        let value = value(depth: depth)
        if case .arrayValue = value { return .map(["array": value]) }
        return Value(value).vector == nil ? value : .map(["vector": value])
    }

    private mutating func double() -> Double {
        pick([0, -0.0, 0.1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 3])
    }

    private mutating func string() -> String {
        pick([
            "", "a", "\0", "é", "e\u{301}", "\u{FEFF}bom", "\u{FFFD}", text(40), String(repeating: "x", count: 1_501),
            String(repeating: "é", count: 20_000),
        ])
    }

    private mutating func reference() -> String {
        "projects/\(pick(["p", "p", "other"]))/databases/\(pick(["(default)", "second"]))/documents/c/\(id())"
    }

    /// Returns a value of a type of BSON, or a map that resembles one.
    private mutating func tagged() -> Value.OneOf_ValueType {
        pick([
            .map(["__min__": .null]), .map(["__max__": .null]), .map(["__int__": .integerValue(-7)]),
            .map(["__decimal128__": .stringValue("0.50")]), .map(["__binary__": .bytesValue(Data([128, 1, 2]))]),
            .map(["__oid__": .stringValue("0123456789abcdef01234567")]),
            .map(["__regex__": .map(["pattern": .stringValue("^a"), "options": .stringValue("i")])]),
            .map(["__request_timestamp__": .map(["seconds": .integerValue(7), "increment": .integerValue(9)])]),
            .map(["__int__": .stringValue("x")]), .map(["__int__": .integerValue(.max)]),
            .map(["__regex__": .map([:])]),
            .map(["__type__": .stringValue("__vector__"), "value": .integerValue(1)]), .vector([]),
        ])
    }
}
