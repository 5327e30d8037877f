import DocumentStore

/// The reading of a query's documents on one connection, in one state. SQL finds documents that can match, and the
/// evaluator of queries decides about each. With a limit, documents are read in the order of the result until there are
/// enough.
struct QueryReading {
    /// The least number of documents that the first statement of a query with a filter reads.
    private static let filteredPage = 64

    /// The way to the documents.
    enum Plan {
        /// One statement, whose documents are sorted afterwards.
        case whole(Call)
        case pages(QueryPages.Position)
    }

    let query: PlannedQuery
    let source: StateSource
    /// `nil` if the query has none.
    let entries: QueryEntries?
    let connection: Connection
    let unreadable: UnreadableDocuments

    /// Returns the query's result.
    func documents() throws -> [Document] {
        switch try plan(inPieces: false) {
        case .whole(let call):
            let rows = try connection.run([call])[0]
            return query.evaluate(over: rows.documents(reporting: unreadable), in: source.database)
        case .pages(let position):
            let (limit, offset) = (query.limit ?? .max, query.offset)
            let (sum, overflow) = limit.addingReportingOverflow(offset)
            let needed = overflow ? .max : sum
            var pages = pages(from: position)
            var found: [Document] = []
            while found.count < needed, let page = try pages.next(connection) { found += page }
            return Array(found.dropFirst(offset).prefix(limit))
        }
    }

    /// Returns the way to the documents.
    ///
    /// - Parameter inPieces: `true` to prefer pages also if all documents are needed.
    func plan(inPieces: Bool) throws -> Plan {
        var limited = query
        if inPieces { limited.limit = query.limit ?? .max }
        let plan = try entries.flatMap { entries in
            try limited.entryPlan(where: entries.have) { candidates in
                let count = try connection.run([entries.count(candidates, in: source)])[0].integer(0, 0)
                return count ?? 0 <= EntryCandidates.few
            }
        }
        switch (plan, entries) {
        case (.candidates(let candidates)?, let entries?):
            return .whole(entries.documents(candidates, in: source))
        case (.ordered(let index, let keys)?, let entries?):
            return .pages(.entries(entries, index: index, keys, after: nil))
        default: break
        }
        guard limited.limit != nil, query.orders.count == 1 else { return .whole(source.documents(in: query)) }
        // Only a collection's names are in the order of an index.
        if case .collection = query.scope { return .pages(.names(after: nil)) }
        return .pages(query.limit == nil ? .cursor(isOpen: false) : .names(after: nil))
    }

    func pages(from position: QueryPages.Position) -> QueryPages {
        QueryPages(
            query, from: source, position, size: Self.firstPage(of: query) ?? Self.filteredPage, unreadable: unreadable)
    }

    /// Returns the number of documents that are read at first, a power of two; `nil` for all.
    static func firstPage(of query: PlannedQuery) -> Int? {
        guard let limit = query.limit else { return nil }
        let (needed, overflow) = limit.addingReportingOverflow(query.offset)
        let longest = QueryPages.longestPage
        let least = overflow ? longest : min(needed, longest) + (query.filter == nil ? 1 : filteredPage)
        return min(QueryPages.powerOfTwo(atMost: 2 * least - 1), longest)
    }
}
