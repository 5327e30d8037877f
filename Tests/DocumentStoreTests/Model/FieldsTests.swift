import TestBasics
import Testing
import Texts

@testable import DocumentStore

@Suite("Fields")
struct FieldsTests {
    /// The names of fields: more than an array holds, some of them equal to others for Swift's `String`s.
    private static let names =
        (0..<60).map { "f\($0)" } + ["", "é", "e\u{301}", "f", "f\0", "a name of many bytes", "\u{10FFFF}"]

    private func expect(_ fields: Fields, _ model: [ExactText: Value]) {
        #expect(fields.count == model.count && fields.isEmpty == model.isEmpty)
        #expect(Set(fields.keys.map { ExactText($0) }) == Set(model.keys))
        for name in Self.names { #expect(fields[name] == model[ExactText(name)]) }
        var visited: [String] = []
        fields.forEachInByteOrder { name, value in
            visited.append(name)
            #expect(model[ExactText(name)] == value)
        }
        #expect(visited.map { ExactText($0) } == model.keys.sorted())
        #expect(fields.sortedByName.map { ExactText($0.key) } == model.keys.sorted())
        #expect(fields.byExactName(\.self) == model)
        #expect(Array(fields).count == model.count)
    }

    @Test(
        "Fields that are set, replaced and removed in any order are those that are left",
        arguments: 1...5 as ClosedRange<UInt64>)
    func changes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func isEven(_ value: Value) -> Bool { value.integer?.isMultiple(of: 2) ?? false }
        for most in [3, 20, Self.names.count] {
            var (fields, model) = (Fields(), [ExactText: Value]())
            for step in 0..<400 {
                let name = try #require(Self.names.prefix(most).randomElement(using: &random))
                let value: Value? = Bool.random(using: &random) || step < 100 ? .integer(Int64(step)) : nil
                fields[name] = value
                model[ExactText(name)] = value
                if step.isMultiple(of: 40) { expect(fields, model) }
            }
            expect(fields, model)
            expect(fields.filter { isEven($0.value) }, model.filter { isEven($0.value) })
            expect(fields.mapValues { _ in .null }, model.mapValues { _ in .null })
        }
    }

    @Test("Fields are equal, and have the same hash, whether they were many before or not")
    func equality() {
        let few: Fields = ["a": .integer(1), "b": .map(["c": .null])]
        var many = Fields(Self.names.map { ($0, Value.null) })
        for name in Self.names { many[name] = nil }
        #expect(many.isEmpty && many == [:] && many.hashValue == Fields().hashValue)
        many.merge(few)
        #expect(many == few && few == many && many.hashValue == few.hashValue)
        #expect(Fields(minimumCapacity: 100).merging(few) == few)
        many["a"] = .integer(2)
        #expect(many != few && few != many)
        many["a"] = nil
        many["d"] = .integer(1)
        #expect(many != few && few != many)
    }

    @Test("A copy keeps its fields when the other changes")
    func copies() {
        for count in [5, 32, 33, 60] {
            let before = Fields(Self.names.prefix(count).map { ($0, Value.integer(1)) })
            var after = before
            after["new"] = .integer(2)
            after["f1"] = .integer(3)
            after["f2"] = nil
            #expect(before.count == count && before["f1"] == .integer(1) && before["new"] == nil)
            #expect(after.count == count && after["f1"] == .integer(3) && after["f2"] == nil)
        }
    }
}
