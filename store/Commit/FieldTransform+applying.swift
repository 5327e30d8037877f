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
        case .arrayUnion(let elements): try Value.array(elements).validate()
        // An array may lack an array, although none can contain one.
        case .arrayRemove(let elements):
            for element in elements { try element.validate(depth: 1) }
        }
    }

    /// Applies the transform to a document's fields.
    ///
    /// - Parameters:
    ///   - fields: the fields, which later receive the other transforms of the write.
    ///   - time: the commit's time.
    /// - Returns: the field's new value, or null for a union or a removal.
    func apply(to fields: inout Fields, at time: Timestamp) -> Value {
        let value = result(from: fields.value(at: field), at: time)
        fields.set(value, at: field)
        switch operation {
        case .arrayUnion, .arrayRemove: return .null
        case .serverTime, .requestTime, .increment, .maximum, .minimum: return value
        }
    }

    private func result(from current: Value?, at time: Timestamp) -> Value {
        switch operation {
        case .serverTime: .timestamp(time)
        case .requestTime: .timestamp(time.cutToMilliseconds)
        case .increment(let value): current.numberOrNil.map { $0.increased(by: value) } ?? value
        case .maximum(let value): current.numberOrNil.map { $0.extreme(value, keepingWhen: .after) } ?? value
        case .minimum(let value): current.numberOrNil.map { $0.extreme(value, keepingWhen: .before) } ?? value
        case .arrayUnion(let elements): .array(Self.union(current?.array ?? [], elements))
        case .arrayRemove(let elements):
            .array((current?.array ?? []).filter { element in !elements.contains { $0.matches(element) } })
        }
    }

    private static func union(_ current: [Value], _ elements: [Value]) -> [Value] {
        elements.reduce(into: current) { result, element in
            if !result.contains(where: { $0.matches(element) }) { result.append(element.canonical) }
        }
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
