/// A value computed from all documents that match a query.
public enum Aggregation: Hashable, Sendable {
    /// The number of documents.
    case count
    /// The sum of the numeric values: an integer while all are integers and the sum fits 64 bits, else a double.
    case sum(FieldPath)
    /// The mean of the numeric values as a double; null if there are none.
    case average(FieldPath)
}

extension Aggregation {
    /// Returns the aggregate over the matching documents.
    func evaluate(over documents: [Document], in database: DatabaseID) -> Value {
        switch self {
        case .count: return .integer(Int64(documents.count))
        case .sum(let field): return Self.numbers(field, documents, database).sum
        case .average(let field): return Self.numbers(field, documents, database).average
        }
    }

    var field: FieldPath? {
        switch self {
        case .count: nil
        case .sum(let field), .average(let field): field
        }
    }

    private static func numbers(_ field: FieldPath, _ documents: [Document], _ database: DatabaseID) -> NumberTally {
        var tally = NumberTally()
        for document in documents {
            if let value = document.value(of: field, in: database) { tally.add(value) }
        }
        return tally
    }
}

/// A sum and a mean of numbers. The sum is an integer while all numbers are and the sum fits 64 bits; else it is a
/// double.
struct NumberTally {
    private var count = 0
    private var integer: Int64? = 0
    private var double = 0.0

    /// Adds a value if it is a number; ignores it otherwise.
    mutating func add(_ value: Value) {
        guard let number = value.number else { return }
        count += 1
        double += number
        integer = Self.sum(integer, value.integer)
    }

    private static func sum(_ left: Int64?, _ right: Int64?) -> Int64? {
        guard let left, let right else { return nil }
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? nil : sum
    }

    var sum: Value { integer.map { .integer($0) } ?? .double(double) }

    var average: Value {
        guard count > 0 else { return .null }
        return .double((integer.map { Double($0) } ?? double) / Double(count))
    }
}
