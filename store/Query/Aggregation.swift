/// A value computed from all documents that match a query.
public enum Aggregation: Hashable, Sendable {
    /// The number of documents.
    case count
    /// The number of documents, or this limit if there are more.
    case countUpTo(Int)
    /// The sum of the numeric values: an integer while all are integers and the total fits 64 bits, else a double.
    case sum(FieldPath)
    /// The mean of the numeric values as a double; null if there are none.
    case average(FieldPath)
}

extension Aggregation {
    /// The limit of aggregations in one request, which is Firestore's.
    private static let most = 5

    /// Checks the aggregations of one request.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there are too many or none, or if one is not valid.
    static func validate(_ aggregations: [Aggregation]) throws(StoreError) {
        guard !aggregations.isEmpty else { throw .invalid("Aggregations can not be empty.") }
        guard aggregations.count <= most else {
            throw .invalid(
                "The maximum number of aggregations allowed in an aggregation query is \(most). "
                    + "Received: \(aggregations.count)")
        }
        for aggregation in aggregations { try aggregation.validate() }
    }

    private func validate() throws(StoreError) {
        switch self {
        case .count: break
        case .countUpTo(let limit):
            guard limit >= 0 else {
                throw .invalid(
                    "The `up_to` value in a COUNT aggregation must be greater than or equal to zero.")
            }
        case .sum(let field), .average(let field):
            guard !field.isDocumentName else {
                throw .invalid("Aggregations are not supported for the property: __key__")
            }
            try field.validate()
        }
    }

    /// The field whose values the aggregation reads; `nil` if it reads none.
    package var field: FieldPath? {
        switch self {
        case .count, .countUpTo: nil
        case .sum(let field), .average(let field): field
        }
    }
}

/// The values of aggregations over the documents so far.
package struct AggregationTally {
    private let aggregations: [Aggregation]
    private(set) var count: Int64
    /// The numbers of each aggregation; empty for those that only count.
    private var numbers: [NumberTally]

    /// Makes a tally.
    ///
    /// - Parameter count: the number of documents that are not added one by one.
    package init(_ aggregations: [Aggregation], count: Int64 = 0) {
        self.aggregations = aggregations
        self.count = count
        numbers = aggregations.map { _ in NumberTally() }
    }

    package mutating func add(_ document: Document) {
        count += 1
        for (place, aggregation) in aggregations.enumerated() {
            guard let field = aggregation.field, let value = document.fields.value(at: field) else { continue }
            numbers[place].add(value)
        }
    }

    /// One value for each aggregation, in their order.
    package var values: [Value] {
        zip(aggregations, numbers).map { aggregation, numbers in
            switch aggregation {
            case .count: .integer(count)
            case .countUpTo(let limit): .integer(min(count, Int64(limit)))
            case .sum: numbers.sum
            case .average: numbers.average
            }
        }
    }
}

/// A sum and a mean of numbers. The sum is an integer while all numbers are and the total fits 64 bits; else it is a
/// double. A sum that leaves 64 bits in between is exact.
struct NumberTally {
    private var count = 0
    /// The sum of the integers.
    private var integers: Int128 = 0
    /// The sum of the doubles; `nil` if there are none.
    private var doubles: Double?

    /// Adds a value if it is a number; ignores it otherwise.
    mutating func add(_ value: Value) {
        if let integer = value.integer {
            integers += Int128(integer)
        } else if let number = value.number {
            doubles = (doubles ?? 0) + number
        } else {
            return
        }
        count += 1
    }

    var sum: Value {
        if doubles == nil, let integer = Int64(exactly: integers) { return .integer(integer) }
        return .double(total)
    }

    var average: Value { count > 0 ? .double(total / Double(count)) : .null }

    private var total: Double { Double(integers) + (doubles ?? 0) }
}
