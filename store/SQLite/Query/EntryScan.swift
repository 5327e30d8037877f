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
        // SQLite does not change the order of tables in a cross join
        // (https://www.sqlite.org/optoverview.html#crossjoin).
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
        let plan = try query.entryPlan(where: { _, _ in true }, hasFew: { try entries.areFew($0, db) })
        return switch plan {
        case .candidates(let candidates): .candidates(entries.select(candidates))
        case .ordered(let index, let keys): .ordered(entries.condition(index, keys))
        case nil: nil
        }
    }
}

/// The entries of a collection's documents.
private struct CollectionEntries {
    let database: Int64
    /// The collection's path as a ``StoredName``.
    let parent: String

    /// Returns the condition for the entries of an index.
    func condition(_ index: String, _ keys: [EntryKeys]) -> SQLFragment {
        let all = SQLFragment("of_database = ? AND of_parent = ? AND field = ?", [database, parent, index])
        return .joined([all] + keys.map(\.condition), by: " AND ")
    }

    /// Returns the statement for the ids of candidates.
    func select(_ candidates: EntryCandidates) -> SQLFragment {
        .joined(
            candidates.conditions.map {
                SQLFragment("SELECT document_id FROM field_entries WHERE ") + condition($0.index, [$0.keys])
            }, by: " UNION ALL ")
    }

    func areFew(_ candidates: EntryCandidates, _ db: Database) throws -> Bool {
        let select = select(candidates)
        let sql = "SELECT count(*) FROM (\(select.sql) LIMIT \(EntryCandidates.few + 1))"
        let count = try Int.fetchOne(db, sql: sql, arguments: StatementArguments(select.arguments))
        return (count ?? 0) <= EntryCandidates.few
    }
}

extension EntryKeys {
    fileprivate var condition: SQLFragment {
        switch self {
        case .oneOf(let keys): SQLFragment("key IN ") + .list(keys.map { Data($0) })
        case .between(let lower, let upper): SQLFragment("key BETWEEN ? AND ?", [Data(lower), Data(upper)])
        case .from(let key): SQLFragment("key >= ?", [Data(key)])
        case .upTo(let key): SQLFragment("key <= ?", [Data(key)])
        }
    }
}
