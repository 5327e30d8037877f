import DocumentStore

/// The documents of a query's scope, page by page in the order of the result: in that of names, or of an index's
/// entries. All pages are read in one transaction.
struct QueryPages {
    /// The way in which SQL has the order, with the place after the pages that were read.
    enum Position {
        case names(after: DocumentPath?)
        /// A cursor over documents that the server sorts once.
        case cursor(isOpen: Bool)
        case entries(QueryEntries, index: String, [EntryKeys], after: EntryPosition?)
    }

    /// The limits of a page: its documents, and roughly its bytes.
    static let (leastPage, longestPage) = (16, 4_096)
    static let mostBytes = 1 << 20

    /// The query without offset and limit.
    private let query: PlannedQuery
    private let source: StateSource
    private let unreadable: UnreadableDocuments
    private var position: Position
    private var size: Int
    /// The documents of the last key, whose order other fields may decide.
    private var pending: [Document] = []
    private var isOver = false
    /// The size of the documents that were read.
    private(set) var bytes = 0

    /// - Parameter size: the number of documents of the first page, a power of two: each number needs a statement of
    ///   its own.
    init(
        _ query: PlannedQuery, from source: StateSource, _ position: Position, size: Int,
        unreadable: UnreadableDocuments
    ) {
        var whole = query
        (whole.offset, whole.limit) = (0, nil)
        self.query = whole
        self.source = source
        self.position = position
        self.size = size
        self.unreadable = unreadable
    }

    /// Returns the next documents that match, which may be none; `nil` after the last.
    mutating func next(_ connection: Connection) throws -> [Document]? {
        guard !isOver else { return nil }
        try connection.interruption?.check()
        let (rows, found) = try page(connection)
        isOver = rows.count < size
        let bytes = (0..<rows.count).reduce(0) { $0 + rows.size($1, 2) }
        self.bytes += bytes
        let fitting = Self.mostBytes * Int(rows.count) / max(1, bytes)
        size = Self.powerOfTwo(atMost: max(Self.leastPage, min(size * 4, fitting, Self.longestPage)))
        guard isOver else { return query.evaluate(over: found, in: source.database) }
        defer { pending = [] }
        return query.evaluate(over: found + pending, in: source.database)
    }

    /// Reads a page. Returns its rows, and the documents whose place is certain.
    private mutating func page(_ connection: Connection) throws -> (Rows, [Document]) {
        switch position {
        case .names(let last):
            let rows = try connection.run([source.documents(in: query, after: last, limit: size)])[0]
            if rows.count > 0 { position = .names(after: rows.path(rows.count - 1)) }
            return (rows, rows.documents(reporting: unreadable))
        case .cursor(let isOpen):
            if !isOpen {
                let select = source.documents(in: query)
                _ = try connection.run([
                    Call("DECLARE results NO SCROLL CURSOR FOR \(select.sql)", select.parameters)
                ])
                position = .cursor(isOpen: true)
            }
            let rows = try connection.run([Call("FETCH \(size) FROM results")])[0]
            return (rows, rows.documents(reporting: unreadable))
        case .entries(let entries, let index, let keys, var last):
            let call = entries.documents(
                orderedBy: index, keys, query.orders[0].direction, after: last, limit: size, in: source)
            let rows = try connection.run([call])[0]
            var certain: [Document] = []
            for row in 0..<rows.count {
                let key = rows.bytes(row, 5) ?? []
                if key != last?.key {
                    certain += pending
                    pending = []
                }
                last = EntryPosition(
                    key: key, parent: entries.fields == nil ? [] : rows.bytes(row, 0) ?? [],
                    document: rows.bytes(row, 1) ?? [])
                if let document = rows.document(row, reporting: unreadable) { pending.append(document) }
            }
            position = .entries(entries, index: index, keys, after: last)
            return (rows, certain)
        }
    }

    /// Returns the greatest power of two up to a positive bound.
    static func powerOfTwo(atMost bound: Int) -> Int { 1 << (Int.bitWidth - 1 - bound.leadingZeroBitCount) }
}
