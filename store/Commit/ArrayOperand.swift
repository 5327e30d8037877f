/// The operand of an array union or an array removal: each value once, with the key by which equal values are found.
///
/// Elements are compared by their ``SortKey``s, which are equal exactly if the values match. So a transform takes as
/// long as its operand and the array are, and not as their product. The keys of the operand are made by the callers.
struct ArrayOperand: Sendable {
    /// The values in the order of their first occurrences.
    private let elements: [(value: Value, key: [UInt8])]
    private let keys: Set<[UInt8]>
    /// The cost of the operand, as ``Value/comparisonCost`` counts it.
    let cost: Int

    init(_ values: [Value]) {
        var elements: [(value: Value, key: [UInt8])] = []
        var keys = Set<[UInt8]>(minimumCapacity: values.count)
        for value in values {
            let key = SortKey(value).bytes
            if keys.insert(key).inserted { elements.append((value.canonical, key)) }
        }
        self.elements = elements
        self.keys = keys
        cost = Value.array(values).comparisonCost
    }

    /// Returns the array with the values that it lacks.
    func union(with array: [Value]) -> [Value] {
        var missing = keys
        for element in array {
            if missing.isEmpty { return array }
            missing.remove(SortKey(element).bytes)
        }
        return array + elements.lazy.filter { missing.contains($0.key) }.map { $0.value }
    }

    /// Returns the array without the values.
    func removed(from array: [Value]) -> [Value] {
        keys.isEmpty ? array : array.filter { !keys.contains(SortKey($0).bytes) }
    }
}

extension Value {
    /// The cost of making the value's ``SortKey``, in about the time that it takes to copy a byte of a document.
    var comparisonCost: Int {
        switch self {
        case .string(let text), .reference(let text): Self.leastCost + text.utf8.count
        case .bytes(let bytes): Self.leastCost + bytes.count
        case .array(let elements): elements.reduce(Self.leastCost) { $0 + $1.comparisonCost }
        // The fields are sorted.
        case .map(let fields):
            fields.reduce(4 * Self.leastCost) { $0 + Self.leastCost + $1.key.utf8.count + $1.value.comparisonCost }
        default: Self.leastCost
        }
    }

    private static var leastCost: Int { 32 }
}
