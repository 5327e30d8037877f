import GRDB

/// A piece of SQL and the values of its placeholders.
struct SQLFragment {
    var sql: String
    var arguments: [any DatabaseValueConvertible]

    init(_ sql: String, _ arguments: [any DatabaseValueConvertible] = []) {
        self.sql = sql
        self.arguments = arguments
    }

    static var never: SQLFragment { SQLFragment("0") }
    static var always: SQLFragment { SQLFragment("1") }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        var sum = left
        sum += right
        return sum
    }

    static func += (left: inout SQLFragment, right: SQLFragment) {
        left.sql += right.sql
        left.arguments += right.arguments
    }

    static func joined(_ fragments: [SQLFragment], by separator: String) -> SQLFragment {
        if fragments.count == 1 { return fragments[0] }
        return SQLFragment(fragments.map(\.sql).joined(separator: separator), fragments.flatMap(\.arguments))
    }

    /// Returns `(?, ?)` with the values as arguments.
    static func list(_ values: [any DatabaseValueConvertible]) -> SQLFragment {
        SQLFragment("(\(values.map { _ in "?" }.joined(separator: ", ")))", values)
    }

    var parenthesized: SQLFragment { SQLFragment("(\(sql))", arguments) }
}
