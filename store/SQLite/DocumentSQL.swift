/// The statements of the write path that name the columns of indexed values.
struct DocumentSQL: Sendable {
    /// As ``SQL/selectDocument``, with the values.
    let select: String
    let insert: String
    /// Sets the values too, and so opens every index over them; ``SQL/updateDocument`` opens none.
    let update: String

    /// - Parameter count: the number of the columns.
    init(valueColumns count: Int) {
        let columns = (0..<count).map { SQL.valueColumn($0 + 1) }
        let names = columns.map { ", \($0)" }.joined()
        select = """
            SELECT id, created_at, updated_at, fields\(names) FROM documents
            WHERE database = ? AND parent = ? AND document = ?
            """
        insert = """
            INSERT INTO documents (database, parent, collection, document, created_at, updated_at, fields\(names))
            VALUES (?, ?, ?, ?, ?, ?, ?\(columns.map { _ in ", ?" }.joined()))
            """
        let values = columns.enumerated().map { ", \($1) = ?\($0 + 5)" }.joined()
        update = "UPDATE documents SET created_at = ?1, updated_at = ?2, fields = ?3\(values) WHERE id = ?4"
    }
}
