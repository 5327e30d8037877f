/// The value of an index's column, exactly as SQLite's `json_extract` finds it in a document's fields.
enum IndexedValue: Sendable {
    /// NULL: the document has no value of the index's type.
    case none
    case boolean(Bool)
    case timestamp(Timestamp)
    /// A text in the form of ``StoredString``.
    case text(String)
    /// A value that no engine writes.
    case foreign
}

extension IndexedValue: Equatable {
    /// Compares texts by bytes.
    static func == (left: IndexedValue, right: IndexedValue) -> Bool {
        switch (left, right) {
        case (.none, .none), (.foreign, .foreign): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        default: false
        }
    }
}

extension RawStatement {
    /// Reads a column that contains values of one type.
    func value(_ column: CInt, of type: FieldIndex.ValueType) -> IndexedValue {
        switch (storage(column), type) {
        case (.null, _): .none
        case (.integer, .boolean): .boolean(number(column) != 0)
        case (.text, .timestamp): Timestamp(canonical: bytes(column)).map(IndexedValue.timestamp) ?? .foreign
        case (.text, .string): .text(text(column))
        default: .foreign
        }
    }

    /// Binds values to successive parameters for the duration of the closure, which runs the statement and resets it.
    func with<Answer>(
        _ values: ArraySlice<IndexedValue>, at index: CInt, _ body: () throws -> Answer
    ) rethrows -> Answer {
        guard let value = values.first else { return try body() }
        return try with(value, at: index) { try with(values.dropFirst(), at: index + 1, body) }
    }

    private func with<Answer>(_ value: IndexedValue, at index: CInt, _ body: () throws -> Answer) rethrows -> Answer {
        switch value {
        case .none, .foreign: try body()
        case .boolean(let value): try with(value ? 1 : 0, at: index, body)
        case .timestamp(let value): try value.withText { try with($0, at: index, body) }
        case .text(let value): try with(value, at: index, body)
        }
    }
}
