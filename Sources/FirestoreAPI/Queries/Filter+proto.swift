import DocumentStore
import FirestoreProtos

/// Messages of filters, under shorter names.
private typealias Proto = Google_Firestore_V1_StructuredQuery

extension Filter {
    /// Reads a filter.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the filter or one inside it is empty, or has no known operator.
    init(_ proto: Google_Firestore_V1_StructuredQuery.Filter) throws(FirestoreStatus) {
        switch proto.filterType {
        case .compositeFilter(let composite): self = try Self.composite(composite)
        case .fieldFilter(let filter): self = try Self.comparison(filter)
        case .unaryFilter(let filter): self = try Self.test(filter)
        case nil: throw .invalid("Filter type must be specified.")
        }
    }

    private static func composite(_ proto: Proto.CompositeFilter) throws(FirestoreStatus) -> Filter {
        var filters: [Filter] = []
        for filter in proto.filters { filters.append(try Filter(filter)) }
        switch proto.op {
        case .and: return .and(filters)
        case .or: return .or(filters)
        case .unspecified, .UNRECOGNIZED: throw unknownOperator("CompositeFilter", proto.op.rawValue)
        }
    }

    private static func comparison(_ proto: Proto.FieldFilter) throws(FirestoreStatus) -> Filter {
        guard let comparison = Comparison(proto.op) else { throw unknownOperator("FieldFilter", proto.op.rawValue) }
        let field = try FieldPath(proto.field)
        let operand = try operand(proto.value, of: comparison)
        return .field(field, comparison, operand)
    }

    /// Reads an operand. A list of values to compare with is not itself a value, so arrays may be in it.
    private static func operand(
        _ proto: Google_Firestore_V1_Value, of comparison: Comparison
    ) throws(FirestoreStatus) -> Value {
        guard comparison.hasList, case .arrayValue(let list) = proto.valueType else { return try Value(proto) }
        return .array(try Value.elements(list.values))
    }

    private static func test(_ proto: Proto.UnaryFilter) throws(FirestoreStatus) -> Filter {
        guard case .field(let reference) = proto.operandType else {
            throw .invalid("UnaryFilter operand must be specified.")
        }
        let field = try FieldPath(reference)
        switch proto.op {
        case .isNull: return .unary(field, .isNull)
        case .isNan: return .unary(field, .isNaN)
        case .isNotNull: return .unary(field, .isNotNull)
        case .isNotNan: return .unary(field, .isNotNaN)
        case .unspecified, .UNRECOGNIZED: throw unknownOperator("UnaryFilter", proto.op.rawValue)
        }
    }

    private static func unknownOperator(_ kind: String, _ number: Int) -> FirestoreStatus {
        .invalid("\(kind) operator is unspecified or unknown: \(number).")
    }
}

extension Filter.Comparison {
    /// Makes the comparison of an operator; `nil` for an unknown one.
    fileprivate init?(_ proto: Google_Firestore_V1_StructuredQuery.FieldFilter.Operator) {
        switch proto {
        case .lessThan: self = .lessThan
        case .lessThanOrEqual: self = .lessThanOrEqual
        case .greaterThan: self = .greaterThan
        case .greaterThanOrEqual: self = .greaterThanOrEqual
        case .equal: self = .equal
        case .notEqual: self = .notEqual
        case .arrayContains: self = .arrayContains
        case .arrayContainsAny: self = .arrayContainsAny
        case .in: self = .in
        case .notIn: self = .notIn
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }

    /// `true` if the operand is a list of values.
    fileprivate var hasList: Bool {
        switch self {
        case .in, .notIn, .arrayContainsAny: true
        default: false
        }
    }
}
