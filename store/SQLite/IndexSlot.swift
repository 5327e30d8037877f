/// A declared index, and the column of `documents` that has its values.
struct IndexSlot: Hashable, Sendable {
    let index: FieldIndex
    /// The column's number among those of its kind, from 1 on.
    let number: Int
    /// The column's name.
    let column: String

    init(_ index: FieldIndex, number: Int) {
        self.index = index
        self.number = number
        column = SQL.valueColumn(number)
    }

    /// Returns the column's value for a document with the fields.
    func value(in fields: Fields) -> IndexedValue {
        switch (index.type, fields.value(at: index.field)) {
        case (.boolean, .boolean(let value)?): .boolean(value)
        case (.timestamp, .timestamp(let value)?): .timestamp(value)
        case (.string, .string(let value)?): .text(StoredString.escape(value))
        default: .none
        }
    }
}
