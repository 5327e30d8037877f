import Foundation
import GRDB

/// The use of the automatic indexes by a query over one collection. The query's own conditions still decide about each
/// document, because an index has only the beginning of a long value.
enum EntryScan {
    /// No other documents than those of some entries can match.
    case candidates(SQLFragment)
    /// The entries of the field by which the query orders first, in the order of their keys.
    case ordered(SQLFragment)

    var tables: String {
        switch self {
        case .candidates: "documents"
        // SQLite does not change the order of tables in a cross join (https://www.sqlite.org/optoverview.html#crossjoin).
        case .ordered: "field_entries CROSS JOIN documents ON documents.id = document_id"
        }
    }

    /// The condition for documents of the collection.
    var condition: SQLFragment {
        switch self {
        case .candidates(let entries): SQLFragment("id IN (") + entries + SQLFragment(")")
        case .ordered(let condition): condition
        }
    }

    /// Returns the terms that order by a field's values. Only shortened keys have to be compared further.
    ///
    /// - Parameters:
    ///   - value: the expression by which values compare.
    ///   - isFirst: `true` for the query's first order.
    func order(by value: SQLFragment, isFirst: Bool) -> [SQLFragment] {
        guard isFirst, case .ordered = self else { return [value] }
        let rest = SQLFragment("CASE WHEN length(key) = \(FieldEntry.longestKey) THEN ") + value + SQLFragment(" END")
        return [SQLFragment("key"), rest]
    }
}

extension QueryCompiler {
    /// Returns the use of the automatic indexes; `nil` if the query has none, if a declared index serves it, or if the
    /// documents in the order of their names do.
    func entryScan(_ db: Database) throws -> EntryScan? {
        guard hasEntries, case .collection(let collection) = query.scope, !isIndexed else { return nil }
        let entries = CollectionEntries(database: number, parent: StoredName.encode(collection.description))
        let conditions = query.filter.map(entries.conditions) ?? []
        if query.limit == nil, conditions.count < 2 { return conditions.first.map { .candidates($0.select) } }
        let ordered = ordered(entries)
        // A range is mostly of the field of the order, whose entries are then between the same bounds.
        for condition in conditions where ordered == nil || condition.rank != .range {
            if try condition.hasFew(db) { return .candidates(condition.select) }
        }
        // With a limit, the documents in the order of the result are mostly fewer until there are enough.
        return query.limit == nil ? conditions.first.map { .candidates($0.select) } : ordered
    }

    /// Returns the entries of the first order; `nil` without a limit, or if the query orders by names.
    private func ordered(_ entries: CollectionEntries) -> EntryScan? {
        guard query.limit != nil, let order = query.orders.first, !order.field.isDocumentName else { return nil }
        return .ordered(entries.condition(FieldEntry.name(of: order.field), keyBounds(of: order)))
    }

    /// Returns the conditions on the keys of the query's first order.
    private func keyBounds(of order: Order) -> [SQLFragment] {
        let ranges = query.filter?.conjuncts.compactMap { filter -> SQLFragment? in
            guard case .field(order.field, let comparison, let operand) = filter else { return nil }
            return CollectionEntries.range(comparison, operand)
        }
        let isAscending = order.direction == .ascending
        let cursors = [(query.start, isAscending), (query.end, !isAscending)].compactMap { cursor, isLower in
            cursor?.values.first.map {
                SQLFragment("key \(isLower ? ">" : "<")= ?", [Data(FieldEntry.key(of: $0))])
            }
        }
        return (ranges ?? []) + cursors
    }
}

/// The entries of a collection's documents.
private struct CollectionEntries {
    /// A selection of the documents that can match a filter.
    struct Candidates {
        /// The forms of filters, those that mostly have the fewest candidates first.
        enum Rank: Comparable { case value, values, range }

        /// The greatest number of candidates that is worth no other plan.
        private static let few = 1_000
        /// The greatest number of parts, which SQLite limits to 500 (https://www.sqlite.org/limits.html).
        static let mostParts = 100

        let rank: Rank
        let select: SQLFragment
        /// The number of selections in ``select``.
        var parts = 1

        /// Returns `true` if there are few candidates.
        func hasFew(_ db: Database) throws -> Bool {
            let sql = "SELECT count(*) FROM (\(select.sql) LIMIT \(Self.few + 1))"
            let count = try Int.fetchOne(db, sql: sql, arguments: StatementArguments(select.arguments))
            return (count ?? 0) <= Self.few
        }
    }

    let database: Int64
    /// The collection's path as a ``StoredName``.
    let parent: String

    /// Returns the condition for the entries of an index.
    func condition(_ index: String, _ conditions: [SQLFragment]) -> SQLFragment {
        let all = SQLFragment("of_database = ? AND of_parent = ? AND field = ?", [database, parent, index])
        return .joined([all] + conditions, by: " AND ")
    }

    /// Returns the documents that can match each of a filter's conditions that an index serves, the most selective forms
    /// first.
    func conditions(_ filter: Filter) -> [Candidates] {
        guard case .and(let filters) = filter else { return candidates(filter).map { [$0] } ?? [] }
        return filters.flatMap(conditions).sorted { $0.rank < $1.rank }
    }

    /// Returns the documents that can match a filter; `nil` if no index has them.
    private func candidates(_ filter: Filter) -> Candidates? {
        switch filter {
        case .and: return conditions(filter).first
        case .or(let filters):
            let all = filters.compactMap(candidates)
            let parts = all.reduce(0) { $0 + $1.parts }
            guard all.count == filters.count, parts <= Candidates.mostParts, let rank = all.map(\.rank).max() else {
                return nil
            }
            return Candidates(
                rank: max(rank, .values), select: .joined(all.map(\.select), by: " UNION ALL "), parts: parts)
        case .field(let field, _, _) where field.isDocumentName: return nil
        case .field(let field, let comparison, let operand): return candidates(field, comparison, operand)
        case .unary(let field, .isNull): return candidates(field, .equal, .null)
        case .unary(let field, .isNaN): return candidates(field, .equal, .double(.nan))
        case .unary: return nil
        }
    }

    private func candidates(_ field: FieldPath, _ comparison: Filter.Comparison, _ operand: Value) -> Candidates? {
        switch comparison {
        case .equal: entries(FieldEntry.name(of: field), .value, Self.isOne(of: [operand]))
        case .in: entries(FieldEntry.name(of: field), .values, Self.isOne(of: operand.comparableElements))
        case .arrayContains: entries(FieldEntry.elementName(of: field), .value, Self.isOne(of: [operand]))
        case .arrayContainsAny:
            entries(FieldEntry.elementName(of: field), .values, Self.isOne(of: operand.comparableElements))
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            Self.range(comparison, operand).flatMap { entries(FieldEntry.name(of: field), .range, $0) }
        case .notEqual, .notIn: nil
        }
    }

    private func entries(_ index: String, _ rank: Candidates.Rank, _ keys: SQLFragment) -> Candidates {
        let select = SQLFragment("SELECT document_id FROM field_entries WHERE ") + condition(index, [keys])
        return Candidates(rank: rank, select: select)
    }

    private static func isOne(of values: [Value]) -> SQLFragment {
        SQLFragment("key IN ") + .list(values.map { Data(FieldEntry.key(of: $0)) })
    }

    /// Returns the condition for keys that a comparison of sizes can match; `nil` for another comparison.
    static func range(_ comparison: Filter.Comparison, _ operand: Value) -> SQLFragment? {
        let key = FieldEntry.key(of: operand)
        let (lower, upper): ([UInt8], [UInt8])
        switch comparison {
        case .lessThan, .lessThanOrEqual: (lower, upper) = (SortKey.lowerBound(of: operand.rank), key)
        case .greaterThan, .greaterThanOrEqual: (lower, upper) = (key, SortKey.upperBound(of: operand.rank))
        default: return nil
        }
        return SQLFragment("key BETWEEN ? AND ?", [Data(lower), Data(upper)])
    }
}
