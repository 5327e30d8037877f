extension Filter {
    /// - Throws: `INVALID_ARGUMENT`.
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

    /// The fields that a filter compares by anything but equality, sorted; a query is ordered by them.
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
    /// - Throws: `INVALID_ARGUMENT` unless this is a reference to a document of the database.
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
