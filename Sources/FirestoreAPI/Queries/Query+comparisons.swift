import DocumentStore

extension FirestoreCaller.Access {
    /// Checks that the caller may run a query. Comparisons of a hidden value would reveal it step by step, so callers
    /// with redacted access order by names only, and compare only names and values that they see.
    ///
    /// - Parameter redaction: the rule for hidden values; `nil` to compare names only.
    /// - Throws: `PERMISSION_DENIED` if the result of the query tells more than the caller may see.
    func check(_ query: Query, _ redaction: Redaction? = nil) throws(FirestoreStatus) {
        guard self == .redacted else { return }
        let ordersFields = query.orders.contains { $0.field != .documentName }
        guard ordersFields || query.filter?.comparesHidden(by: redaction) == true else { return }
        throw FirestoreStatus(
            .permissionDenied,
            "This database has fields that are hidden. Its queries are ordered by __name__. They filter by __name__, or "
                + "compare another field with a single value, by another operator than NOT_EQUAL; those of listeners "
                + "filter by __name__ only.")
    }
}

extension Filter {
    /// Returns `true` if the documents that match, or their order, depend on values that a rule may hide.
    fileprivate func comparesHidden(by redaction: Redaction?) -> Bool {
        switch self {
        case .and(let filters), .or(let filters): filters.contains { $0.comparesHidden(by: redaction) }
        case .field(let field, let comparison, let operand):
            field != .documentName
                && (redaction?.conceals(field) ?? true || !comparison.isOfOneType || !operand.isSingle)
        case .unary(let field, let comparison):
            field != .documentName && (redaction?.conceals(field) ?? true || !comparison.isOfOneType)
        }
    }
}

extension Filter.Comparison {
    /// `true` if the field's value has the operand's type in each match, or is an array that contains the operand. Maps
    /// and arrays, which may have hidden values in them, then neither match nor are put in order.
    fileprivate var isOfOneType: Bool {
        switch self {
        case .lessThan, .lessThanOrEqual, .equal, .greaterThanOrEqual, .greaterThan, .arrayContains: true
        case .notEqual, .notIn, .in, .arrayContainsAny: false
        }
    }
}

extension Filter.UnaryComparison {
    /// `true` if all matches have the same value.
    fileprivate var isOfOneType: Bool {
        switch self {
        case .isNull, .isNaN: true
        case .isNotNull, .isNotNaN: false
        }
    }
}

extension Value {
    /// `true` if the value has no values in it.
    fileprivate var isSingle: Bool { array == nil && map == nil }
}
