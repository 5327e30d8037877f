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
        try fill(connection, upTo: min(Self.pieceSize, left)) { $0.isEmpty || $1 < most }
        let piece = Array(buffer.prefix(min(Self.pieceSize, left)))
        buffer = buffer.dropFirst(piece.count)
        left -= left == .max ? 0 : piece.count
        returned += piece.count
        return piece.isEmpty ? nil : piece
    }

    /// Returns all documents if they are in memory or one piece; `nil` if they are more, or if the search for them
    /// reads more than a piece. Nothing can be read after that.
    mutating func whole(_ connection: Connection) throws -> [Document]? {
        guard !isInMemory else { return Array(buffer) }
        try fill(connection, upTo: min(Self.pieceSize + 1, left)) { $1 < QueryPages.mostBytes }
        guard pages == nil || buffer.count >= left, buffer.count <= Self.pieceSize else { return nil }
        return Array(buffer.prefix(left))
    }

    /// Reads pages into the buffer until it has a number of documents, or all.
    ///
    /// - Parameter goesOn: returns `false` to end the reading, for the buffer and the bytes of all pages so far.
    private mutating func fill(
        _ connection: Connection, upTo count: Int, while goesOn: (ArraySlice<Document>, Int) -> Bool
    ) throws {
        while buffer.count < count, var pages, goesOn(buffer, pages.bytes) {
            guard let page = try pages.next(connection) else {
                self.pages = nil
                break
            }
            self.pages = pages
            buffer += page.dropFirst(offset)
            offset -= min(offset, page.count)
        }
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
