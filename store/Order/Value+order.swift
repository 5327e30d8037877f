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
    /// The types in Firestore's order, BSON's among them
    /// ([value ordering](https://firebase.google.com/docs/firestore/manage-data/data-types#value_type_ordering)).
    enum Rank: UInt8, Comparable {
        case null = 1, minKey, boolean, number, timestamp, bsonTimestamp, string, bytes, bsonBinary, reference
        case objectID, geoPoint, regex, array, vector, map, maxKey

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
        case .map(let fields): TaggedMap(fields)?.rank ?? .map
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
        default: orderingByRank(to: other)
        }
    }

    /// Compares values of two cases. Of the types, only numbers have several cases.
    private func orderingByRank(to other: Value) -> Ordering {
        let (left, right) = (rank, other.rank)
        guard left == .number, right == .number else { return Ordering(left, right) }
        return comparedNumber.numericOrdering(to: other.comparedNumber)
    }

    /// `true` for NaN, also as a decimal number of BSON.
    var isNaN: Bool { comparedNumber.number?.isNaN == true }

    /// The number of a BSON type as a plain one; any other value itself.
    private var comparedNumber: Value {
        if case .map(let fields) = self, case .number(let number)? = TaggedMap(fields) { number } else { self }
    }

    /// Returns `true` if a query treats the two as equal, as it does 5 and 5.0.
    func matches(_ other: Value) -> Bool { ordering(to: other) == .same }

    private static func ordering(ofNames left: String, _ right: String) -> Ordering {
        if PathText.precedes(left, right) { return .before }
        return PathText.precedes(right, left) ? .after : .same
    }

    fileprivate static func ordering<Bytes: Sequence<UInt8>>(_ left: Bytes, _ right: Bytes) -> Ordering {
        var others = right.makeIterator()
        for byte in left {
            guard let other = others.next() else { return .after }
            if byte != other { return Ordering(byte, other) }
        }
        return others.next() == nil ? .same : .before
    }

    fileprivate static func ordering(_ left: [Value], _ right: [Value]) -> Ordering {
        for (one, other) in zip(left, right) {
            let ordering = one.ordering(to: other)
            if ordering != .same { return ordering }
        }
        return Ordering(left.count, right.count)
    }

    private static func ordering(_ left: Fields, _ right: Fields) -> Ordering {
        switch (TaggedMap(left), TaggedMap(right)) {
        case (nil, nil): orderingOfPlainMaps(left, right)
        case (let one?, let other?): one.ordering(to: other)
        case (let one, let other): Ordering(one?.rank ?? Rank.map, other?.rank ?? Rank.map)
        }
    }

    /// Compares by the first field in name order, its name before its value, then by the next.
    private static func orderingOfPlainMaps(_ left: Fields, _ right: Fields) -> Ordering {
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

extension TaggedMap {
    var rank: Value.Rank {
        switch self {
        case .minKey: .minKey
        case .number: .number
        case .timestamp: .bsonTimestamp
        case .binary: .bsonBinary
        case .objectID: .objectID
        case .regex: .regex
        case .vector: .vector
        case .maxKey: .maxKey
        }
    }

    /// Compares as ``Value/ordering(to:)`` does: vectors by their number of elements first.
    func ordering(to other: TaggedMap) -> Ordering {
        switch (self, other) {
        case (.vector(let left), .vector(let right)):
            Ordering(left.count, right.count).then(Value.ordering(left, right))
        case (.number(let left), .number(let right)): left.numericOrdering(to: right)
        case (.timestamp(let left, let leftIncrement), .timestamp(let right, let rightIncrement)):
            Ordering(left, right).then(Ordering(leftIncrement, rightIncrement))
        case (.binary(let left), .binary(let right)): Value.ordering(left, right)
        case (.objectID(let left), .objectID(let right)): Value.ordering(left.utf8, right.utf8)
        case (.regex(let left, let leftOptions), .regex(let right, let rightOptions)):
            Value.ordering(left.utf8, right.utf8).then(Value.ordering(leftOptions.utf8, rightOptions.utf8))
        default: Ordering(rank, other.rank)
        }
    }
}
