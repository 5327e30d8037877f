/// The documents of a statement with the columns parent, document, created_at, updated_at and fields.
struct DocumentRows {
    enum Row {
        case document(Document)
        case unreadable(DocumentPath, StoreError)
    }

    private let statement: RawStatement
    /// The last row's column `parent` and its decoded path. Successive rows are mostly of one collection.
    private var parent: (column: [UInt8], path: String) = ([], "")

    init(_ statement: RawStatement) { self.statement = statement }

    /// Returns the next document; `nil` after the last.
    mutating func next() throws -> Row? {
        guard try statement.step() else { return nil }
        let path = DocumentPath(unchecked: PathText.joined(collection(), StoredName.decode(statement.text(1))))
        do throws(StoreError) {
            return .document(
                Document(
                    path: path, fields: try FieldsDecoder.decode(statement.bytes(4), of: path),
                    createTime: Timestamp(microseconds: statement.number(2)),
                    updateTime: Timestamp(microseconds: statement.number(3))))
        } catch {
            return .unreadable(path, error)
        }
    }

    /// Reads all rows.
    ///
    /// - Parameters:
    ///   - part: returns the requested part of a document; called before the next row is read.
    ///   - unreadable: called for each row whose fields no engine writes.
    mutating func documents(
        _ part: (Document) -> Document = { $0 }, unreadable: (DocumentPath, StoreError) -> Void
    ) throws -> [Document] {
        var documents: [Document] = []
        while let row = try next() {
            switch row {
            case .document(let document): documents.append(part(document))
            case .unreadable(let path, let error): unreadable(path, error)
            }
        }
        return documents
    }

    private mutating func collection() -> String {
        let column = statement.bytes(0)
        if !parent.column.elementsEqual(column) {
            parent = (Array(column), StoredName.decode(String(decoding: column, as: UTF8.self)))
        }
        return parent.path
    }
}
