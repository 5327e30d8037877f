extension FieldTransform {
    /// Checks the field path and the operand.
    ///
    /// - Throws: `INVALID_ARGUMENT`, with Firestore's text, if one of them is not valid.
    func validate() throws(StoreError) {
        try field.validate()
        switch operation {
        case .serverTime, .requestTime: break
        case .increment(let value), .maximum(let value), .minimum(let value):
            guard value.number != nil else { throw .invalid("Input must be int64 or double.") }
        case .arrayUnion(let elements): try Value.array(elements).validate(depth: mapsAround)
        // An array may lack an array, although none can contain one.
        case .arrayRemove(let elements):
            try Value.array([]).validate(depth: mapsAround)
            for element in elements { try element.validate(depth: 1) }
        }
    }

    /// The number of maps around the field.
    private var mapsAround: Int { field.segments.count - 1 }
}

/// A checked transform, with the work done that does not depend on the stored document.
struct PreparedTransform: Sendable {
    let transform: FieldTransform
    /// The operand of a union or a removal; `nil` for other transforms.
    private let operand: ArrayOperand?

    init(_ transform: FieldTransform) {
        self.transform = transform
        switch transform.operation {
        case .arrayUnion(let elements), .arrayRemove(let elements): operand = ArrayOperand(elements)
        case .serverTime, .requestTime, .increment, .maximum, .minimum: operand = nil
        }
    }

    /// `true` if the result of the transform is the field's new value, and `false` if it is null.
    var givesResult: Bool { operand == nil }

    /// Returns the field's new value.
    ///
    /// - Parameters:
    ///   - current: the field's value; `nil` if the field is missing.
    ///   - time: the commit's time.
    ///   - work: receives the cost of the comparisons.
    /// - Throws: `INVALID_ARGUMENT` if the commit's work is too much.
    func result(
        from current: Value?, at time: Timestamp, _ work: inout CommitWork
    ) throws(StoreError) -> Value {
        switch transform.operation {
        case .serverTime: return .timestamp(time)
        case .requestTime: return .timestamp(time.cutToMilliseconds)
        case .increment(let value): return current.numberOrNil.map { $0.increased(by: value) } ?? value
        case .maximum(let value): return current.numberOrNil.map { $0.extreme(value, keepingWhen: .after) } ?? value
        case .minimum(let value): return current.numberOrNil.map { $0.extreme(value, keepingWhen: .before) } ?? value
        case .arrayUnion: return try array(current, &work) { $0.union(with: $1) }
        case .arrayRemove: return try array(current, &work) { $0.removed(from: $1) }
        }
    }

    private func array(
        _ current: Value?, _ work: inout CommitWork, _ combine: (ArrayOperand, [Value]) -> [Value]
    ) throws(StoreError) -> Value {
        let elements = current?.array ?? []
        guard let operand else { return .array(elements) }
        try work.add(Value.array(elements).comparisonCost + operand.cost)
        return .array(combine(operand, elements))
    }
}

extension Value? {
    fileprivate var numberOrNil: Value? { flatMap { $0.number == nil ? nil : $0 } }
}

extension Value {
    /// Returns the sum. Two integers give an integer, clamped to the range of 64 bits; with a double, the sum is a
    /// double.
    fileprivate func increased(by other: Value) -> Value {
        if case .integer(let left) = self, case .integer(let right) = other {
            let (sum, overflows) = left.addingReportingOverflow(right)
            return .integer(overflows ? (right < 0 ? .min : .max) : sum)
        }
        return .double((number ?? 0) + (other.number ?? 0))
    }

    /// Returns the number that is further to a side; this one if they are equal, and NaN if either is NaN
    /// ([FieldTransform](https://firebase.google.com/docs/firestore/reference/rest/v1/Write#fieldtransform)).
    fileprivate func extreme(_ other: Value, keepingWhen side: Ordering) -> Value {
        if number?.isNaN == true { return self }
        if other.number?.isNaN == true { return other }
        let ordering = numericOrdering(to: other)
        return ordering == side || ordering == .same ? self : other
    }
}
