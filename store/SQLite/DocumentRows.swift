/// The documents of a statement whose columns are parent, document, created_at, updated_at and fields.
struct DocumentRows {
    private let statement: RawStatement
    /// Rows that stand together are mostly of one collection: its column as it was last, and what it says.
    private var parent: (column: [UInt8], path: String) = ([], "")

    init(_ statement: RawStatement) { self.statement = statement }

    /// - Throws: `DATA_LOSS` when the fields are not what an engine writes.
    mutating func next() throws -> Document? {
        guard try statement.step() else { return nil }
        let path = DocumentPath(unchecked: "\(collection())/\(StoredName.decode(statement.text(1)))")
        return Document(
            path: path, fields: try FieldsDecoder.decode(statement.bytes(4), of: path),
            createTime: Timestamp(microseconds: statement.number(2)),
            updateTime: Timestamp(microseconds: statement.number(3)))
    }

    private mutating func collection() -> String {
        let column = statement.bytes(0)
        if !parent.column.elementsEqual(column) {
            parent = (Array(column), StoredName.decode(String(decoding: column, as: UTF8.self)))
        }
        return parent.path
    }
}
