import GRDB

/// The result of a query in a file, on the connection's queue only.
struct FileResultRows: ResultRows {
    /// The limits of a piece. A piece of the first documents is thus read in a few milliseconds, and no piece takes
    /// much memory, unless a single document does.
    private static let mostDocuments = 256
    private static let mostBytes = 262_144

    private let compiler: QueryCompiler
    private var statement: RawStatement
    private var rows: DocumentRows
    /// The number of rows that were read.
    private var rowCount = 0
    /// The number of documents that were returned.
    private var documentCount = 0
    /// The number of rows of the present statement that cannot be read.
    private var unreadableCount = 0
    /// The remaining documents, if SQLite could not run the query.
    private var evaluated: ArraySlice<Document>?
    private var isOver = false

    init(_ compiler: QueryCompiler, _ db: Database) throws {
        self.compiler = compiler
        statement = RawStatement(try compiler.prepare(compiler.selectDocuments(db), db), db)
        rows = DocumentRows(statement)
    }

    mutating func next(_ db: Database) throws -> [Document]? {
        var piece: [Document] = []
        var size = 0
        while piece.count < Self.mostDocuments, size < Self.mostBytes, let document = try document(db, &size) {
            piece.append(document)
        }
        return piece.isEmpty ? nil : piece
    }

    /// Returns all documents if they are one piece, and `nil` if they are more. Nothing can be read after that.
    mutating func whole(_ db: Database) throws -> [Document]? {
        defer { end() }
        let piece = try next(db) ?? []
        var size = 0
        return try document(db, &size) == nil ? piece : nil
    }

    var rest: PlannedQuery? {
        guard evaluated == nil else { return nil }
        var rest = compiler.query
        rest.offset += rowCount
        if let limit = rest.limit { rest.limit = limit - documentCount }
        return rest
    }

    /// Resets the statement, which would keep the transaction from ending.
    func end() { statement.reset() }

    private mutating func document(_ db: Database, _ size: inout Int) throws -> Document? {
        while !isOver, evaluated == nil {
            do {
                guard let row = try rows.next() else {
                    try replaceUnreadable(db)
                    continue
                }
                rowCount += 1
                size += statement.bytes(4).count
                switch row {
                case .document(let document):
                    documentCount += 1
                    return compiler.query.projected(document)
                case .unreadable(let path, let error):
                    unreadableCount += 1
                    compiler.unreadable.report(path, because: "\(error)")
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                // SQLite's functions and the store's own fail on fields that cannot be read.
                guard let documents = try compiler.evaluated(db) else { throw error }
                evaluated = documents.dropFirst(documentCount)
            }
        }
        return evaluated?.popFirst()
    }

    /// Ends the result, or continues it with as many rows as could not be read, because these rows have used up the
    /// query's limit.
    private mutating func replaceUnreadable(_ db: Database) throws {
        statement.reset()
        guard compiler.query.limit != nil, unreadableCount > 0 else {
            isOver = true
            return
        }
        let more = compiler.continued(after: rowCount, limit: unreadableCount)
        unreadableCount = 0
        statement = RawStatement(try more.prepare(more.selectDocuments(db), db), db)
        rows = DocumentRows(statement)
    }
}
