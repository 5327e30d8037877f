extension Value {
    /// The number as a double, rounded; nil for what is none.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// Exact, where turning an integer into a double would not be.
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
