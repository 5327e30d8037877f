/// A condition on a document's fields.
public indirect enum Filter: Hashable, Sendable {
    /// The relation between a field's value and the operand. Values of different types are never less or greater.
    public enum Comparison: Hashable, Sendable {
        /// The field and the operand compare so in Firestore's order of values.
        case lessThan, lessThanOrEqual, equal, notEqual, greaterThanOrEqual, greaterThan
        /// The field is an array that contains the operand.
        case arrayContains
        /// The field is an array that contains one of the values (the operand is an array).
        case arrayContainsAny
        /// The field equals one of the values (the operand is an array).
        case `in`
        /// The field exists, is not null, and equals none of the values (the operand is an array).
        case notIn
    }

    /// A comparison of a field's value with an operand.
    case field(FieldPath, Comparison, Value)
    /// A filter that matches if all of the filters match; there must be at least one.
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
        }
    }
}

extension Filter.Comparison {
    /// Returns `true` if a field with this value fulfills the comparison with the operand.
    func matches(_ value: Value, _ operand: Value) -> Bool {
        switch self {
        case .equal: value.matches(operand)
        case .notEqual: value != .null && !value.matches(operand)
        case .lessThan: value.isBelow(operand) && value.ordering(to: operand) == .before
        case .lessThanOrEqual: value.isBelow(operand) && value.ordering(to: operand) != .after
        case .greaterThan: value.rank == operand.rank && value.ordering(to: operand) == .after
        case .greaterThanOrEqual: value.rank == operand.rank && value.ordering(to: operand) != .before
        case .arrayContains: value.array?.contains { $0.matches(operand) } ?? false
        case .arrayContainsAny: value.array?.contains { $0.isOne(of: operand) } ?? false
        case .in: value.isOne(of: operand)
        // As in SQL, no value is known to differ from null, so a null among the operands matches nothing.
        case .notIn: value != .null && !value.isOne(of: operand) && !Value.null.isOne(of: operand)
        }
    }
}

extension Value {
    /// Returns `true` if a range up to the operand may contain the value: it has the same type and is not NaN, the
    /// least number, which no range contains.
    fileprivate func isBelow(_ operand: Value) -> Bool {
        rank == operand.rank && !isNaN
    }

    fileprivate func isOne(of operand: Value) -> Bool { operand.array?.contains { $0.matches(self) } ?? false }
}

extension Document {
    /// Returns the field's value; for the document's name, a reference.
    func value(of field: FieldPath, in database: DatabaseID) -> Value? {
        field.isDocumentName ? .reference(path.name(in: database)) : fields.value(at: field)
    }
}

extension Filter {
    /// Checks the filter's fields and operands.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is not valid.
    func validate(in database: DatabaseID) throws(StoreError) {
        switch self {
        case .and(let filters), .or(let filters):
            guard !filters.isEmpty else { throw .invalid("a composite filter without filters") }
            for filter in filters { try filter.validate(in: database) }
        case .field(let field, let comparison, let operand):
            if field.isDocumentName {
                try Self.validateName(comparison, operand, in: database)
            } else {
                try field.validate()
                try Self.validate(comparison, operand)
            }
        }
    }

    private static func validate(_ comparison: Comparison, _ operand: Value) throws(StoreError) {
        guard comparison.takesArray else { return try operand.validate(depth: 0) }
        for value in try elements(of: operand, for: comparison) { try value.validate(depth: 0) }
    }

    private static func validateName(
        _ comparison: Comparison, _ operand: Value, in database: DatabaseID
    ) throws(StoreError) {
        switch comparison {
        case .arrayContains, .arrayContainsAny: throw .invalid("\(FieldPath.documentName) is not an array")
        case .in, .notIn:
            for name in try elements(of: operand, for: comparison) { try name.validateDocumentName(in: database) }
        default: try operand.validateDocumentName(in: database)
        }
    }

    private static func elements(of operand: Value, for comparison: Comparison) throws(StoreError) -> [Value] {
        guard let elements = operand.array, !elements.isEmpty else {
            throw .invalid("the operand of \(comparison) is an array of one value at least")
        }
        return elements
    }

    /// The fields that the filter compares other than by equality, sorted. A query is also ordered by them.
    var inequalityFields: [FieldPath] {
        var fields: Set<FieldPath> = []
        collectInequalityFields(into: &fields)
        return fields.sorted { left, right in
            left.segments.lexicographicallyPrecedes(right.segments) { $0.precedesInBytes($1) }
        }
    }

    private func collectInequalityFields(into fields: inout Set<FieldPath>) {
        switch self {
        case .and(let filters), .or(let filters):
            for filter in filters { filter.collectInequalityFields(into: &fields) }
        case .field(let field, let comparison, _):
            if comparison.isInequality { fields.insert(field) }
        }
    }
}

extension Filter.Comparison {
    var isInequality: Bool {
        switch self {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: true
        case .equal, .arrayContains, .arrayContainsAny, .in: false
        }
    }

    fileprivate var takesArray: Bool {
        switch self {
        case .arrayContainsAny, .in, .notIn: true
        default: false
        }
    }
}

extension Value {
    /// Checks that this is a reference to a document.
    ///
    /// - Throws: `INVALID_ARGUMENT` unless it is one of the database.
    func validateDocumentName(in database: DatabaseID) throws(StoreError) {
        _ = try documentPath(in: database)
    }

    func documentPath(in database: DatabaseID) throws(StoreError) -> DocumentPath {
        guard case .reference(let name) = self else {
            throw .invalid("\(FieldPath.documentName) is compared with references to documents")
        }
        return try DocumentPath(name: name, in: database)
    }
}
