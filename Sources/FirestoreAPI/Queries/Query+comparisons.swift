import DocumentStore

extension FirestoreCaller.Access {
    /// Checks that the caller may run a query. Comparisons of a hidden value would reveal it step by step, so callers
    /// with redacted access compare names only.
    ///
    /// - Throws: `PERMISSION_DENIED` if the query compares fields of which this access hides some.
    func check(_ query: Query) throws(FirestoreStatus) {
        guard self == .redacted, query.comparesFields else { return }
        throw FirestoreStatus(
            .permissionDenied,
            "Queries of this database filter and order by __name__ only, because its documents have fields that are "
                + "hidden.")
    }
}

extension Query {
    fileprivate var comparesFields: Bool {
        filter?.comparesFields == true || orders.contains { $0.field != .documentName }
    }
}

extension Filter {
    fileprivate var comparesFields: Bool {
        switch self {
        case .and(let filters), .or(let filters): filters.contains(where: \.comparesFields)
        case .field(let field, _, _), .unary(let field, _): field != .documentName
        }
    }
}
