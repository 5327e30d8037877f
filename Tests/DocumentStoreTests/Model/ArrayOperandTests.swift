import JSON
import TestDoubles
import Testing

@testable import DocumentStore

@Suite("Operands of array transforms")
struct ArrayOperandTests {
    /// The definition: each element of the operand is compared with each element of the array.
    private func union(_ array: [Value], _ operand: [Value]) -> [Value] {
        operand.reduce(into: array) { result, element in
            if !result.contains(where: { $0.matches(element) }) { result.append(element.canonical) }
        }
    }

    private func removal(_ array: [Value], _ operand: [Value]) -> [Value] {
        array.filter { element in !operand.contains { $0.matches(element) } }
    }

    /// Differs for 1 and 1.0, and for 0.0 and -0.0, which `==` does not.
    private func text(_ values: [Value]) -> String { Value.array(values).json.text }

    @Test("Random unions and removals have the elements of the definition", arguments: 1...200 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let array = (0..<Int.random(in: 0...40, using: &generator)).map { _ in generator.value(depth: 3) }
        let operand = (0..<Int.random(in: 0...40, using: &generator)).map { _ in generator.value(depth: 3) }
        let prepared = ArrayOperand(operand)
        #expect(text(prepared.union(with: array)) == text(union(array, operand)))
        #expect(text(prepared.removed(from: array)) == text(removal(array, operand)))
    }

    @Test("Texts that look the same and have other bytes are different elements")
    func bytes() {
        let (one, two) = (Value.string("\u{E9}"), Value.string("e\u{301}"))
        #expect(ArrayOperand([two]).union(with: [one]).count == 2)
        #expect(ArrayOperand([two]).removed(from: [one]).count == 1)
        #expect(ArrayOperand([one, two, one]).union(with: []).count == 2)
    }

    @Test("A shortened sort key is the beginning of the whole one", arguments: 1...50 as ClosedRange<UInt64>)
    func beginnings(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let value = generator.value(depth: 4)
            let whole = SortKey(value).bytes
            let length = Int.random(in: 0...(whole.count + 2), using: &generator)
            #expect(SortKey.beginning(of: value, length: length) == Array(whole.prefix(length)), "\(value), \(length)")
        }
    }
}
