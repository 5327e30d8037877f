extension Query {
    /// The limits of a query, which are Firestore's.
    private enum Most {
        /// The filters, the orders and an ancestor, together.
        static let parts = 100
        static let inequalityFields = 10
    }

    /// Checks the number of the query's parts.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there are too many.
    func validateLimits() throws(StoreError) {
        let conditions = try filter?.conditionCount(most: Most.parts) ?? 0
        let parts = conditions + orders.count + (scope.hasAncestor ? 1 : 0)
        guard parts <= Most.parts else { throw Self.tooManyParts }
        let fields = filter?.inequalityFields.count ?? 0
        guard fields <= Most.inequalityFields else {
            throw .invalid(
                "A query has at most \(Most.inequalityFields) fields with inequalities, not \(fields).")
        }
    }

    fileprivate static var tooManyParts: StoreError {
        .invalid("A query has at most \(Most.parts) filters, orders and an ancestor together.")
    }
}

extension Query.Scope {
    /// `true` if the scope is below a document.
    fileprivate var hasAncestor: Bool {
        switch self {
        case .collection(let collection): collection.parent != nil
        case .collectionGroup(_, let ancestor): ancestor != nil
        case .children(let parent), .descendants(let parent): parent != nil
        }
    }
}

extension Filter {
    /// The limit of filters inside each other. Without it, a filter could be too deep for the functions that descend
    /// into it. Each call of ``Query/where(_:_:_:)`` adds a level.
    private static let deepest = 100

    /// Returns the number of conditions in a filter of any depth.
    ///
    /// - Parameter most: the number at which the count fails.
    /// - Throws: `INVALID_ARGUMENT` if there are more, or if the filter is too deep.
    fileprivate func conditionCount(most: Int) throws(StoreError) -> Int {
        var (count, pending) = (0, [(filter: self, depth: 0)])
        while let (filter, depth) = pending.popLast() {
            guard depth <= Self.deepest else {
                throw .invalid("A filter has at most \(Self.deepest) filters around it.")
            }
            switch filter {
            case .and(let filters), .or(let filters): pending += filters.map { ($0, depth + 1) }
            case .field, .unary: count += 1
            }
            guard count <= most else { throw Query.tooManyParts }
        }
        return count
    }
}
