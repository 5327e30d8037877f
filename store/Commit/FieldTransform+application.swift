extension FieldTransform {
    /// - Throws: `INVALID_ARGUMENT`.
    func validate() throws(StoreError) {
        try field.validate()
        switch operation {
        case .serverTime: break
        case .increment(let value), .maximum(let value), .minimum(let value):
            guard value.number != nil else { throw .invalid("the transform of \(field) needs a number") }
        case .arrayUnion(let elements), .arrayRemove(let elements):
            try Value.array(elements).validate(depth: 0)
        }
    }

    /// - Parameter time: the commit's.
    func apply(to fields: inout Fields, at time: Timestamp) {
        fields.set(result(from: fields.value(at: field), at: time), at: field)
    }

    private func result(from current: Value?, at time: Timestamp) -> Value {
        switch operation {
        case .serverTime: .timestamp(time)
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
            if !result.contains(where: { $0.matches(element) }) { result.append(element) }
        }
    }
}

extension Value? {
    fileprivate var numberOrNil: Value? { flatMap { $0.number == nil ? nil : $0 } }
}

extension Value {
    /// Integers stay integers and stop at the ends of 64 bits; with a double on either side the sum is one.
    fileprivate func increased(by other: Value) -> Value {
        if case .integer(let left) = self, case .integer(let right) = other {
            let (sum, overflows) = left.addingReportingOverflow(right)
            return .integer(overflows ? (right < 0 ? .min : .max) : sum)
        }
        return .double((number ?? 0) + (other.number ?? 0))
    }

    /// The one of two numbers that is further to a side; this one when they are equal, NaN when either is
    /// ([FieldTransform](https://firebase.google.com/docs/firestore/reference/rest/v1/Write#fieldtransform)).
    fileprivate func extreme(_ other: Value, keepingWhen side: Ordering) -> Value {
        if number?.isNaN == true { return self }
        if other.number?.isNaN == true { return other }
        let ordering = numericOrdering(to: other)
        return ordering == side || ordering == .same ? self : other
    }
}
