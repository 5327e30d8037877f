import Foundation
import GRDB

extension QueryCompiler {
    func compile(_ filter: Filter) throws(StoreError) -> SQLFragment {
        // Any number of filters may match all documents. Without them, the statement is as large as the conditions.
        if filter.matchesAll { return .always }
        switch filter {
        case .and: return try compile(filter.conjuncts.filter { !$0.matchesAll }, joinedBy: " AND ")
        case .or: return try compile(filter.disjuncts, joinedBy: " OR ").parenthesized
        case .field(let field, let comparison, let operand):
            if field.isDocumentName { return try compileName(comparison, operand) }
            return compileTyped(field, comparison, operand) ?? compileKeyed(field, comparison, operand)
        case .unary(let field, let comparison): return compile(field, comparison)
        }
    }

    /// Compiles the parts of a composite filter.
    ///
    /// SQLite's parser has a stack of 100 places (https://www.sqlite.org/compile.html#yystackdepth). A level takes one
    /// of them while its first part is parsed, and more while another one is, so the deepest part comes first.
    private func compile(_ filters: [Filter], joinedBy operator: String) throws(StoreError) -> SQLFragment {
        var (filters, fragments) = (filters, [SQLFragment]())
        if let deepest = filters.indices.max(by: { filters[$0].depth < filters[$1].depth }),
            filters[deepest].depth > 1
        {
            filters.swapAt(0, deepest)
        }
        for filter in filters { fragments.append(try compile(filter)) }
        return SQLFragment.joined(fragments, by: `operator`)
    }

    /// Compiles comparisons with one string, timestamp or Boolean, or with several of one type; returns `nil` for
    /// others.
    private func compileTyped(_ field: FieldPath, _ comparison: Filter.Comparison, _ operand: Value) -> SQLFragment? {
        if comparison == .in { return compileTypedList(field, operand.comparableElements) }
        guard let sql = comparison.sqlOperator, let type = type(of: operand, in: field), let value = operand.sqlValue
        else { return nil }
        return SQLFragment("\(typedValue(field, type)) \(sql) ?", [value])
    }

    private func compileTypedList(_ field: FieldPath, _ elements: [Value]) -> SQLFragment? {
        guard let first = elements.first, let type = type(of: first, in: field) else { return nil }
        let values = elements.compactMap { field.type(of: $0) == type ? $0.sqlValue : nil }
        guard values.count == elements.count else { return nil }
        return SQLFragment("\(typedValue(field, type)) IN ") + .list(values)
    }

    /// Returns the type by which SQLite compares the field with the value; `nil` if sort keys compare them.
    private func type(of value: Value, in field: FieldPath) -> FieldIndex.ValueType? {
        guard let type = field.type(of: value) else { return nil }
        return groupSlots.column(field, nil) == nil || groupSlots.column(field, type) != nil ? type : nil
    }

    /// Returns an expression for the value of a field if it has the type, else NULL.
    func typedValue(_ field: FieldPath, _ type: FieldIndex.ValueType) -> String {
        groupSlots.column(field, type) ?? SQL.typedValue(field, type)
    }

    /// Compiles a comparison by sort keys. SQLite finds no key in a document without the field, so none matches.
    private func compileKeyed(_ field: FieldPath, _ comparison: Filter.Comparison, _ operand: Value) -> SQLFragment {
        let key = sortKey(field)
        switch comparison {
        case .in: return Self.isOne(key, of: operand.comparableElements)
        case .notIn where operand.containsNull: return .never
        case .notIn: return Self.isNone(key, of: [.null] + operand.comparableElements)
        case .arrayContainsAny:
            let conditions = operand.comparableElements.map { arrayHas(field, $0.sortKey) }
            return conditions.isEmpty ? .never : SQLFragment.joined(conditions, by: " OR ").parenthesized
        case .notEqual where operand.isNaN: return Self.isNone(key, of: [.null])
        case _ where operand.equalsNothing: return .never
        case .notEqual: return Self.isNone(key, of: [.null, operand])
        case .equal: return key + SQLFragment(" = ?", [operand.sortKey])
        case .lessThan, .lessThanOrEqual:
            // NaN is the least number, and not less than any.
            guard operand.rank != .number else {
                return range(key, "> ?", Value.double(.nan).sortKey, comparison, operand)
            }
            return range(key, ">= ?", Data(SortKey.lowerBound(of: operand.rank)), comparison, operand)
        case .greaterThan, .greaterThanOrEqual:
            return range(key, "< ?", Data(SortKey.upperBound(of: operand.rank)), comparison, operand)
        case .arrayContains: return arrayHas(field, operand.sortKey)
        }
    }

    private func compile(_ field: FieldPath, _ test: Filter.UnaryComparison) -> SQLFragment {
        let key = sortKey(field)
        return switch test {
        case .isNull: Self.isOne(key, of: [.null])
        case .isNaN: Self.isOne(key, of: [.double(.nan)])
        case .isNotNull: Self.isNone(key, of: [.null])
        case .isNotNaN: Self.isNone(key, of: [.null, .double(.nan)])
        }
    }

    private static func isOne(_ key: SQLFragment, of values: [Value]) -> SQLFragment {
        let keys: [Data] = values.map { $0.sortKey }
        return keys.isEmpty ? .never : key + SQLFragment(" IN ") + .list(keys)
    }

    private static func isNone(_ key: SQLFragment, of values: [Value]) -> SQLFragment {
        let keys: [Data] = values.map { $0.sortKey }
        return key + SQLFragment(" NOT IN ") + .list(keys)
    }

    /// Compiles a comparison by sort keys, limited to the keys of the operand's type.
    private func range(
        _ key: SQLFragment, _ edge: String, _ bound: Data, _ comparison: Filter.Comparison, _ operand: Value
    ) -> SQLFragment {
        key + SQLFragment(" \(edge) AND ", [bound])
            + key + SQLFragment(" \(comparison.sqlOperator ?? "=") ?", [operand.sortKey])
    }

    private func arrayHas(_ field: FieldPath, _ key: Data) -> SQLFragment {
        SQLFragment("\(QueryFunctions.arrayHas)(fields, ?, ?)", [QueryFunctions.argument(field), key])
    }

    private func compileName(_ comparison: Filter.Comparison, _ operand: Value) throws(StoreError) -> SQLFragment {
        let isList = comparison == .in || comparison == .notIn
        var names: [String] = []
        for name in isList ? operand.array ?? [] : [operand] {
            names.append(StoredName.encode(try name.documentPath(in: database).description))
        }
        switch comparison {
        case .in: return SQLFragment("path IN ") + .list(names)
        case .notIn: return SQLFragment("path NOT IN ") + .list(names)
        default: return SQLFragment("path \(comparison.sqlOperator ?? "<>") ?", names)
        }
    }
}

extension Filter.Comparison {
    /// The operator in SQL; `nil` for a comparison that is not between two values of one type.
    var sqlOperator: String? {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .equal: "="
        case .greaterThanOrEqual: ">="
        case .greaterThan: ">"
        case .notEqual, .arrayContains, .arrayContainsAny, .in, .notIn: nil
        }
    }
}

extension FieldPath {
    /// Returns the type of a value if SQLite can find the field and compare by that type; `nil` otherwise.
    func type(of value: Value) -> FieldIndex.ValueType? {
        isPlainInJSON ? FieldIndex.ValueType(of: value) : nil
    }
}

extension Value {
    /// The constant to compare with ``QueryCompiler/typedValue(_:_:)``.
    var sqlValue: (any DatabaseValueConvertible)? {
        switch self {
        case .boolean(let value): value
        case .timestamp(let value): value.description
        case .string(let value): StoredString.escape(value)
        default: nil
        }
    }

    var sortKey: Data { Data(SortKey(self).bytes) }
}
