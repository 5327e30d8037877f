/// A condition on the keys of entries.
package enum EntryKeys: Sendable {
    case oneOf([[UInt8]])
    case between([UInt8], [UInt8])
    case from([UInt8])
    case upTo([UInt8])

    fileprivate static func oneOf(_ values: [Value]) -> EntryKeys { .oneOf(values.map(FieldEntry.key)) }

    /// The keys that a comparison of sizes can match; `nil` for another comparison.
    fileprivate init?(_ comparison: Filter.Comparison, _ operand: Value) {
        let key = FieldEntry.key(of: operand)
        switch comparison {
        case .lessThan, .lessThanOrEqual: self = .between(SortKey.lowerBound(of: operand.rank), key)
        case .greaterThan, .greaterThanOrEqual: self = .between(key, SortKey.upperBound(of: operand.rank))
        default: return nil
        }
    }
}

/// A condition on the entries of one index.
package struct EntryCondition: Sendable {
    let field: FieldPath
    /// `true` for the index of the elements in a field's arrays.
    let isOfElements: Bool
    package let keys: EntryKeys

    /// The index's name, as in ``FieldEntry/field``.
    package var index: String { isOfElements ? FieldEntry.elementName(of: field) : FieldEntry.name(of: field) }
}

/// A selection of the documents that can match a filter: those with an entry that meets one of the conditions.
package struct EntryCandidates: Sendable {
    /// The forms of filters, those that mostly have the fewest candidates first.
    package enum Rank: Comparable, Sendable { case value, values, range }

    /// The greatest number of candidates that is worth no other plan.
    package static let few = 1_000
    /// The greatest number of conditions; SQLite limits the parts of a statement to 500
    /// (https://www.sqlite.org/limits.html).
    private static let mostConditions = 100

    let rank: Rank
    package let conditions: [EntryCondition]

    /// Returns the candidates of each of a filter's conditions that an index serves, the most selective forms first.
    ///
    /// - Parameter isIndexed: returns `true` if a field, or the elements in its arrays, have an index.
    fileprivate static func all(of filter: Filter, _ isIndexed: (FieldPath, Bool) -> Bool) -> [EntryCandidates] {
        guard case .and(let filters) = filter else { return candidates(of: filter, isIndexed).map { [$0] } ?? [] }
        return filters.flatMap { all(of: $0, isIndexed) }.sorted { $0.rank < $1.rank }
    }

    /// Returns the candidates of a filter; `nil` if no index has them.
    private static func candidates(of filter: Filter, _ isIndexed: (FieldPath, Bool) -> Bool) -> EntryCandidates? {
        switch filter {
        case .and: return all(of: filter, isIndexed).first
        case .or(let filters):
            let parts = filters.compactMap { candidates(of: $0, isIndexed) }
            let conditions = parts.flatMap(\.conditions)
            guard parts.count == filters.count, conditions.count <= mostConditions,
                let rank = parts.map(\.rank).max()
            else { return nil }
            return EntryCandidates(rank: max(rank, .values), conditions: conditions)
        case .field(let field, let comparison, let operand): return candidates(field, comparison, operand, isIndexed)
        case .unary(let field, .isNull): return candidates(field, .equal, .null, isIndexed)
        case .unary(let field, .isNaN): return candidates(field, .equal, .double(.nan), isIndexed)
        case .unary: return nil
        }
    }

    private static func candidates(
        _ field: FieldPath, _ comparison: Filter.Comparison, _ operand: Value, _ isIndexed: (FieldPath, Bool) -> Bool
    ) -> EntryCandidates? {
        guard !field.isDocumentName else { return nil }
        let (rank, isOfElements, keys): (Rank, Bool, EntryKeys?) =
            switch comparison {
            case .equal: (.value, false, .oneOf([operand]))
            case .in: (.values, false, .oneOf(operand.comparableElements))
            case .arrayContains: (.value, true, .oneOf([operand]))
            case .arrayContainsAny: (.values, true, .oneOf(operand.comparableElements))
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
                (.range, false, EntryKeys(comparison, operand))
            case .notEqual, .notIn: (.range, false, nil)
            }
        guard let keys, isIndexed(field, isOfElements) else { return nil }
        return EntryCandidates(
            rank: rank, conditions: [EntryCondition(field: field, isOfElements: isOfElements, keys: keys)])
    }
}

/// The use of entries by a query. The query's own conditions still decide about each document, because an entry has
/// only the beginning of a long value.
package enum EntryPlan: Sendable {
    /// No other documents than the candidates can match.
    case candidates(EntryCandidates)
    /// The entries of the field by which the query orders first, in the order of their keys.
    case ordered(index: String, [EntryKeys])
}

extension PlannedQuery {
    /// Returns the use of entries; `nil` if the query has none, or if the documents in the order of their names are
    /// fewer.
    ///
    /// - Parameters:
    ///   - isIndexed: returns `true` if a field, or the elements in its arrays, have an index.
    ///   - hasFew: returns `true` for at most ``EntryCandidates/few`` candidates.
    package func entryPlan(
        where isIndexed: (FieldPath, _ isOfElements: Bool) -> Bool, hasFew: (EntryCandidates) throws -> Bool
    ) rethrows -> EntryPlan? {
        let all = filter.map { EntryCandidates.all(of: $0, isIndexed) } ?? []
        if limit == nil, all.count < 2 { return all.first.map { .candidates($0) } }
        let ordered = orderedEntries(where: isIndexed)
        // A range is mostly of the field of the order, whose entries are then between the same bounds.
        for candidates in all where ordered == nil || candidates.rank != .range {
            if try hasFew(candidates) { return .candidates(candidates) }
        }
        // With a limit, the documents in the order of the result are mostly fewer until there are enough.
        return limit == nil ? all.first.map { .candidates($0) } : ordered
    }

    /// Returns the entries of the first order; `nil` without a limit, or if the query orders by names.
    private func orderedEntries(where isIndexed: (FieldPath, Bool) -> Bool) -> EntryPlan? {
        guard limit != nil, let order = orders.first, !order.field.isDocumentName, isIndexed(order.field, false) else {
            return nil
        }
        return .ordered(index: FieldEntry.name(of: order.field), keyBounds(of: order))
    }

    /// Returns the conditions on the keys of the first order.
    private func keyBounds(of order: Order) -> [EntryKeys] {
        let ranges = filter?.conjuncts.compactMap { filter -> EntryKeys? in
            guard case .field(order.field, let comparison, let operand) = filter else { return nil }
            return EntryKeys(comparison, operand)
        }
        let isAscending = order.direction == .ascending
        let cursors = [(start, isAscending), (end, !isAscending)].compactMap { cursor, isLower in
            cursor?.values.first.map {
                isLower ? EntryKeys.from(FieldEntry.key(of: $0)) : .upTo(FieldEntry.key(of: $0))
            }
        }
        return (ranges ?? []) + cursors
    }
}
