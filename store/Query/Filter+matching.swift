extension Filter {
    /// Whether a document fulfils the filter. Ranges match within one type; `!=` and `not-in` leave out null and
    /// missing fields.
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
    /// Whether a field with this value compares so to the operand.
    func matches(_ value: Value, _ operand: Value) -> Bool {
        switch self {
        case .equal: value.matches(operand)
        case .notEqual: value != .null && !value.matches(operand)
        case .lessThan: value.rank == operand.rank && value.ordering(to: operand) == .before
        case .lessThanOrEqual: value.rank == operand.rank && value.ordering(to: operand) != .after
        case .greaterThan: value.rank == operand.rank && value.ordering(to: operand) == .after
        case .greaterThanOrEqual: value.rank == operand.rank && value.ordering(to: operand) != .before
        case .arrayContains: value.array?.contains { $0.matches(operand) } ?? false
        case .arrayContainsAny: value.array?.contains { $0.isOne(of: operand) } ?? false
        case .in: value.isOne(of: operand)
        // Nothing is surely different from null, as in SQL.
        case .notIn: value != .null && !value.isOne(of: operand) && !Value.null.isOne(of: operand)
        }
    }
}

extension Value {
    fileprivate func isOne(of operand: Value) -> Bool { operand.array?.contains { $0.matches(self) } ?? false }
}

extension Document {
    /// The field's value; the document's name as a reference.
    func value(of field: FieldPath, in database: DatabaseID) -> Value? {
        field.isDocumentName ? .reference(path.name(in: database)) : fields.value(at: field)
    }
}
