import DocumentStore

/// The result of a query on a server, on the connection's queue only.
struct ServerResultRows: ResultRows {
    /// The number of documents of a piece.
    private static let pieceSize = 256

    private let query: PlannedQuery
    /// `nil` once all documents that are left are in the buffer.
    private var pages: QueryPages?
    private var buffer: ArraySlice<Document> = []
    private var isInMemory = false
    /// The number of documents that are still to be left out.
    private var offset: Int
    /// The number of documents that are still to be returned.
    private var left: Int
    private var returned = 0

    /// Begins to read a result.
    init(_ reading: QueryReading) throws {
        query = reading.query
        switch try reading.plan(inPieces: true) {
        case .pages(let position):
            pages = reading.pages(from: position)
            (offset, left) = (query.offset, query.limit ?? .max)
        case .whole:
            buffer = try reading.documents()[...]
            (offset, left, isInMemory) = (0, .max, true)
        }
    }

    mutating func next(_ connection: Connection) throws -> [Document]? {
        let most = (pages?.bytes ?? 0) + QueryPages.mostBytes
        while buffer.count < min(Self.pieceSize, left), var pages, buffer.isEmpty || pages.bytes < most {
            guard let page = try pages.next(connection) else {
                self.pages = nil
                break
            }
            self.pages = pages
            buffer += page.dropFirst(offset)
            offset -= min(offset, page.count)
        }
        let piece = Array(buffer.prefix(min(Self.pieceSize, left)))
        buffer = buffer.dropFirst(piece.count)
        left -= left == .max ? 0 : piece.count
        returned += piece.count
        return piece.isEmpty ? nil : piece
    }

    /// Returns all documents if they are in memory or one piece, and `nil` if they are more. Nothing can be read after that.
    mutating func whole(_ connection: Connection) throws -> [Document]? {
        guard !isInMemory else { return Array(buffer) }
        let first = try next(connection) ?? []
        return try next(connection) == nil ? first : nil
    }

    var rest: PlannedQuery? {
        guard !isInMemory else { return nil }
        var rest = query
        rest.offset += returned
        rest.limit = query.limit.map { $0 - returned }
        return rest
    }

    func end() {}
}
