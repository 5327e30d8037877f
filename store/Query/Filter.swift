/// A condition on a document's fields. A field that a document lacks fulfills no condition.
public indirect enum Filter: Hashable, Sendable {
    /// The relation between a field's value and the operand. Values of different types are never less or greater.
    ///
    /// As in SQL, no value is known to be equal to null or NaN as an operand, or to be less or greater: such
    /// comparisons match nothing. The tests of ``UnaryComparison`` find these values.
    public enum Comparison: Hashable, Sendable {
        /// The field and the operand compare so in Firestore's order of values. Fields with null do not match
        /// `notEqual`; NaN is neither less nor greater.
        case lessThan, lessThanOrEqual, equal, notEqual, greaterThanOrEqual, greaterThan
        /// The field is an array that contains the operand.
        case arrayContains
        /// The field is an array that contains one of the values (the operand is an array of 1 to 30 values).
        case arrayContainsAny
        /// The field equals one of the values (the operand is an array of 1 to 30 values).
        case `in`
        /// The field exists, is not null, and equals none of the values (the operand is an array of 1 to 10 values).
        case notIn
    }

    /// A test of a field's value that has no operand.
    public enum UnaryComparison: Hashable, Sendable {
        /// The field is null.
        case isNull
        /// The field is NaN.
        case isNaN
        /// The field exists and is not null.
        case isNotNull
        /// The field exists and is neither NaN nor null.
        case isNotNaN
    }

    /// A comparison of a field's value with an operand.
    case field(FieldPath, Comparison, Value)
    /// A test of a field's value.
    case unary(FieldPath, UnaryComparison)
    /// A filter that matches if all of the filters match; without filters it matches each document.
    case and([Filter])
    /// A filter that matches if at least one of the filters matches; there must be at least one.
    case or([Filter])
}

extension Filter {
    /// Returns `true` if the document fulfills the filter. Ranges match values of the operand's type only, and not
    /// NaN; `!=` and `not-in` do not match null and missing fields.
    func matches(_ document: Document, in database: DatabaseID) -> Bool {
        switch self {
        case .and(let filters): filters.allSatisfy { $0.matches(document, in: database) }
        case .or(let filters): filters.contains { $0.matches(document, in: database) }
        case .field(let field, let comparison, let operand):
            document.value(of: field, in: database).map { comparison.matches($0, operand) } ?? false
        case .unary(let field, let comparison):
            document.value(of: field, in: database).map { comparison.matches($0) } ?? false
        }
    }
}

extension Filter.Comparison {
    /// Returns `true` if a field with this value fulfills the comparison with the operand.
    func matches(_ value: Value, _ operand: Value) -> Bool {
        switch self {
        case .equal: value.isEqual(to: operand)
        case .notEqual: !value.isNull && !operand.isNull && !value.isEqual(to: operand)
        case .lessThan: value.isComparable(to: operand) && value.ordering(to: operand) == .before
        case .lessThanOrEqual: value.isComparable(to: operand) && value.ordering(to: operand) != .after
        case .greaterThan: value.isComparable(to: operand) && value.ordering(to: operand) == .after
        case .greaterThanOrEqual: value.isComparable(to: operand) && value.ordering(to: operand) != .before
        case .arrayContains: value.array?.contains { $0.isEqual(to: operand) } ?? false
        case .arrayContainsAny: value.array?.contains { $0.isOne(of: operand) } ?? false
        case .in: value.isOne(of: operand)
        case .notIn: !value.isNull && !value.isOne(of: operand) && !operand.containsNull
        }
    }
}

extension Filter.UnaryComparison {
    /// Returns `true` if a field with this value passes the test.
    func matches(_ value: Value) -> Bool {
        switch self {
        case .isNull: value.isNull
        case .isNaN: value.isNaN
        case .isNotNull: !value.isNull
        case .isNotNaN: !value.isNull && !value.isNaN
        }
    }
}

extension Value {
    var isNull: Bool { rank == .null }

    /// `true` if no value is equal to this one as an operand.
    var equalsNothing: Bool { isNull || isNaN }

    /// `true` if this is an array that contains null.
    var containsNull: Bool { array?.contains(where: \.isNull) ?? false }

    /// The elements of an array that a value can be equal to.
    var comparableElements: [Value] { array?.filter { !$0.equalsNothing } ?? [] }

    fileprivate func isEqual(to operand: Value) -> Bool { !operand.equalsNothing && matches(operand) }

    fileprivate func isOne(of operand: Value) -> Bool { operand.array?.contains { isEqual(to: $0) } ?? false }

    /// Returns `true` if a range with the operand may contain this value.
    fileprivate func isComparable(to operand: Value) -> Bool {
        rank == operand.rank && !equalsNothing && !operand.equalsNothing
    }
}

extension Document {
    /// Returns the field's value; for the document's name, a reference.
    func value(of field: FieldPath, in database: DatabaseID) -> Value? {
        field.isDocumentName ? .reference(path.name(in: database)) : fields.value(at: field)
    }
}

extension Filter {
    /// The fields that the filter compares other than by equality. A query is also ordered by them.
    var inequalityFields: Set<FieldPath> {
        var fields = Set<FieldPath>()
        collectInequalityFields(into: &fields)
        return fields
    }

    /// The first field of a condition, other than the document's name.
    var firstField: FieldPath? {
        switch self {
        case .and(let filters), .or(let filters): filters.lazy.compactMap(\.firstField).first
        case .field(let field, _, _), .unary(let field, _): field.isDocumentName ? nil : field
        }
    }

    private func collectInequalityFields(into fields: inout Set<FieldPath>) {
        switch self {
        case .and(let filters), .or(let filters):
            for filter in filters { filter.collectInequalityFields(into: &fields) }
        case .field(let field, let comparison, let operand):
            // What is never true does not order.
            if comparison.isInequality, !comparison.matchesNothing(operand) { fields.insert(field) }
        case .unary(let field, let comparison):
            if comparison.isNegation { fields.insert(field) }
        }
    }
}

extension Filter.Comparison {
    /// Returns `true` if Firestore knows beforehand that no value fulfills the comparison with the operand. A list to
    /// exclude that has null beside other values also excludes all, but orders the result nevertheless.
    fileprivate func matchesNothing(_ operand: Value) -> Bool {
        switch self {
        case .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .arrayContains:
            operand.equalsNothing
        case .notEqual: operand.isNull
        case .notIn: operand.array?.allSatisfy(\.isNull) ?? false
        case .in, .arrayContainsAny: operand.comparableElements.isEmpty
        }
    }

    var isInequality: Bool {
        switch self {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: true
        case .equal, .arrayContains, .arrayContainsAny, .in: false
        }
    }

    /// `true` if the comparison leaves out values and keeps all others.
    var isNegation: Bool { self == .notEqual || self == .notIn }
}

extension Filter.UnaryComparison {
    /// `true` if the test leaves out values and keeps all others.
    var isNegation: Bool { self == .isNotNull || self == .isNotNaN }
}

extension Filter {
    /// The filters that must all match.
    var conjuncts: [Filter] {
        if case .and(let filters) = self { filters.flatMap(\.conjuncts) } else { [self] }
    }

    /// The filters of which one must match.
    var disjuncts: [Filter] {
        if case .or(let filters) = self { filters.flatMap(\.disjuncts) } else { [self] }
    }

    /// `true` if the filter matches each document because it has no conditions, or alternatives of which one has none.
    var matchesAll: Bool {
        switch self {
        case .and(let filters): filters.allSatisfy(\.matchesAll)
        case .or(let filters): filters.contains(where: \.matchesAll)
        case .field, .unary: false
        }
    }

    /// The number of filters inside each other.
    var depth: Int {
        switch self {
        case .and(let filters), .or(let filters): 1 + (filters.map(\.depth).max() ?? 0)
        case .field, .unary: 0
        }
    }
}
