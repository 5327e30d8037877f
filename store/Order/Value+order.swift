/// How one value stands to another in a query's order.
enum Ordering: Hashable {
    case before, same, after

    init<C: Comparable>(_ left: C, _ right: C) {
        self = left < right ? .before : (left == right ? .same : .after)
    }

    /// This, unless it is `same`: then what the next criterion says.
    func then(_ next: @autoclosure () -> Ordering) -> Ordering { self == .same ? next() : self }

    var reversed: Ordering {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}

extension Value {
    /// Firestore's order of types
    /// ([value ordering](https://firebase.google.com/docs/firestore/manage-data/data-types#value_type_ordering)).
    enum Rank: UInt8, Comparable {
        case null = 1, boolean, number, timestamp, string, bytes, reference, geoPoint, array, map

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    var rank: Rank {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .integer, .double: .number
        case .timestamp: .timestamp
        case .string: .string
        case .bytes: .bytes
        case .reference: .reference
        case .geoPoint: .geoPoint
        case .array: .array
        case .map: .map
        }
    }

    /// Firestore's order across all values: by type, then within it. 5 and 5.0 are the same, and NaN is the same as
    /// itself and the least number. ``SortKey`` is this order as bytes.
    func ordering(to other: Value) -> Ordering {
        switch (self, other) {
        case (.null, .null): .same
        case (.boolean(let left), .boolean(let right)): Ordering(left ? 1 : 0, right ? 1 : 0)
        case (.timestamp(let left), .timestamp(let right)): Ordering(left, right)
        case (.string(let left), .string(let right)): Self.ordering(left.utf8, right.utf8)
        case (.bytes(let left), .bytes(let right)): Self.ordering(left, right)
        case (.reference(let left), .reference(let right)): Self.ordering(ofNames: left, right)
        case (.geoPoint(let left, let leftEast), .geoPoint(let right, let rightEast)):
            Ordering(left, right).then(Ordering(leftEast, rightEast))
        case (.array(let left), .array(let right)): Self.ordering(left, right)
        case (.map(let left), .map(let right)): Self.ordering(left, right)
        default: rank == .number && other.rank == .number ? numericOrdering(to: other) : Ordering(rank, other.rank)
        }
    }

    /// Whether a query takes the two for equal, which 5 and 5.0 are.
    func matches(_ other: Value) -> Bool { ordering(to: other) == .same }

    private static func ordering(ofNames left: String, _ right: String) -> Ordering {
        if PathText.precedes(left, right) { return .before }
        return PathText.precedes(right, left) ? .after : .same
    }

    private static func ordering<Bytes: Sequence<UInt8>>(_ left: Bytes, _ right: Bytes) -> Ordering {
        var others = right.makeIterator()
        for byte in left {
            guard let other = others.next() else { return .after }
            if byte != other { return Ordering(byte, other) }
        }
        return others.next() == nil ? .same : .before
    }

    private static func ordering(_ left: [Value], _ right: [Value]) -> Ordering {
        for (one, other) in zip(left, right) {
            let ordering = one.ordering(to: other)
            if ordering != .same { return ordering }
        }
        return Ordering(left.count, right.count)
    }

    /// By the first field in name order, its name before its value, then by the next.
    private static func ordering(_ left: Fields, _ right: Fields) -> Ordering {
        for (one, other) in zip(left.sortedByName, right.sortedByName) {
            let ordering = Self.ordering(one.key.utf8, other.key.utf8).then(one.value.ordering(to: other.value))
            if ordering != .same { return ordering }
        }
        return Ordering(left.count, right.count)
    }
}
