/// The position of one value relative to another in a query's order.
enum Ordering: Hashable {
    case before, same, after

    init<C: Comparable>(_ left: C, _ right: C) {
        self = left < right ? .before : (left == right ? .same : .after)
    }

    /// Returns this ordering, or the next criterion's if this is `same`.
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
    /// The types in Firestore's order
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

    /// Compares two values in Firestore's order: by type, then within the type. 5 and 5.0 are the same; NaN is the
    /// same as itself and the least number. ``SortKey`` expresses this order as bytes.
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

    /// Returns `true` if a query treats the two as equal, as it does 5 and 5.0.
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

    /// Compares by the first field in name order, its name before its value, then by the next.
    private static func ordering(_ left: Fields, _ right: Fields) -> Ordering {
        for (one, other) in zip(left.sortedByName, right.sortedByName) {
            let ordering = Self.ordering(one.key.utf8, other.key.utf8).then(one.value.ordering(to: other.value))
            if ordering != .same { return ordering }
        }
        return Ordering(left.count, right.count)
    }
}

extension Value {
    /// The number as a rounded double; `nil` if this is not a number.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// Compares exactly, where a conversion of an integer to a double would be inexact.
    func numericOrdering(to other: Value) -> Ordering {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): Ordering(left, right)
        case (.double(let left), .double(let right)): Self.ordering(left, right)
        case (.integer(let left), .double(let right)): Self.ordering(left, right)
        case (.double(let left), .integer(let right)): Self.ordering(right, left).reversed
        default: .same
        }
    }

    private static func ordering(_ left: Double, _ right: Double) -> Ordering {
        if left.isNaN || right.isNaN { return Ordering(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1) }
        return Ordering(left, right)
    }

    private static func ordering(_ left: Int64, _ right: Double) -> Ordering {
        if right.isNaN { return .after }
        if right >= 0x1p63 { return .before }
        if right < -0x1p63 { return .after }
        let whole = right.rounded(.down)
        return Ordering(left, Int64(whole)).then(whole < right ? .before : .same)
    }
}
