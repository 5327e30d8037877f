import DocumentStore

/// The reads of a database's present state that are short, and so share their statements with others
/// (``ConnectionThreadPool/answer(to:)``).
struct SharedReads {
    let database: DatabaseID

    /// The greatest number of documents that one asker names, or that are read of a collection.
    static let most = 512
    /// The greatest number of documents with one key. Of more, only as many and one are read.
    static let mostWithKey = 32
    /// The place of a row that was not named.
    fileprivate static let foundPlace = SharedCall.mostPlaces - 1

    /// Returns the read of documents by their paths; `nil` if they are many.
    func documents(at keys: [RowKey]) -> SharedCall? {
        guard keys.count <= Self.most else { return nil }
        return SharedCall(sql: SharedSQL.named, common: database.parameters, lists: [Self.list(keys)])
    }

    /// Returns the statement for any number of documents by their paths, for one asker. Its rows have the places of the
    /// paths, in ``SharedCall/placeColumn``.
    func statement(for keys: [RowKey]) -> Call {
        SharedCall.joined([
            SharedCall(sql: SharedSQL.named, common: database.parameters, lists: [Self.list(keys)])
        ])
    }

    /// Returns the read of documents by their paths, and of the first ones of a query's collection in the order of
    /// their names, as of one moment; `nil` if the query needs another one.
    ///
    /// - Parameter limit: the greatest number of documents of the query, a power of two.
    func documents(at keys: [RowKey], in query: PlannedQuery, limit: Int) -> SharedCall? {
        guard keys.count <= Self.most, let sql = SharedSQL.pages[limit], query.filter == nil,
            query.orders.count == 1, query.orders[0].direction == .ascending, query.start == nil, query.end == nil,
            case .collection(let collection) = query.scope
        else { return nil }
        let parent = Array(StoredName.encode(collection.description).utf8)
        let page = SharedCall.List(places: [Self.foundPlace], columns: [.texts([parent])])
        return SharedCall(sql: sql, common: database.parameters, lists: [Self.list(keys), page])
    }

    /// Returns the read of the documents of a collection group that have one value of an indexed field, and of the time
    /// of the database's last commit; `nil` if the query needs another one.
    func documents(matching query: PlannedQuery, declared indexes: [FieldIndex]) -> SharedCall? {
        guard case .collectionGroup(_, nil) = query.scope, query.filter != nil,
            let entries = QueryEntries(of: query, isIndexed: false, declared: indexes),
            let (index, key) = entries.onlyKey(of: query)
        else { return nil }
        return SharedCall(
            sql: SharedSQL.withKey, common: database.parameters + [.text(entries.scope), .text(index)],
            lists: [SharedCall.List(places: [Self.foundPlace], columns: [.blobs([key])])])
    }

    private static func list(_ keys: [RowKey]) -> SharedCall.List {
        let columns = keys.map(\.columns)
        return SharedCall.List(
            places: Array(keys.indices),
            columns: [.texts(columns.map(\.parent)), .texts(columns.map(\.document))])
    }
}

extension SharedAnswer {
    /// Returns the documents that were named by their paths, in the same order.
    func named(_ paths: [DocumentPath]) throws(StoreError) -> [Document?] {
        var documents = [Document?](repeating: nil, count: paths.count)
        for (row, place) in found where place < paths.count {
            documents[place] = try rows.stored(row)?.document(at: paths[place])
        }
        return documents
    }

    /// Returns the other documents, and the number of their rows. Documents that cannot be read are left out and
    /// reported.
    func others(reporting unreadable: UnreadableDocuments) -> (documents: [Document], count: Int) {
        let others = found.filter { $0.place == SharedReads.foundPlace }
        return (others.compactMap { rows.document($0.row, reporting: unreadable) }, others.count)
    }

    /// The time of the database's last commit; `nil` if there is no such database.
    var lastCommit: Timestamp? {
        common.first.flatMap { rows.integer($0, 3) }.map { Timestamp(microseconds: $0) }
    }
}

/// The statements of ``SharedReads``. Their first columns are those of ``StateSource/columns``; documents that were
/// named have no path in them, because the place tells it.
private enum SharedSQL {
    private static let number = "(SELECT number FROM databases WHERE project = $1::text AND database = $2::text)"

    static let named = """
        SELECT ''::text, ''::text, fields, created_at, updated_at, place \
        FROM unnest($3::bigint[], $4::text[], $5::text[]) AS named (place, of_parent, of_document) \
        JOIN documents ON of_database = \(number) AND parent = of_parent AND document = of_document
        """

    /// The statements for pages of powers of two: the limit is a part of the text, as the best plan depends on it.
    static let pages: [Int: String] = {
        var pages: [Int: String] = [:]
        var limit = 1
        while limit <= SharedReads.most {
            pages[limit] = page(limit)
            limit *= 2
        }
        return pages
    }()

    private static func page(_ limit: Int) -> String {
        """
        \(named) UNION ALL SELECT page.parent, page.document, page.fields, page.created_at, page.updated_at, asked.place \
        FROM unnest($6::bigint[], $7::text[]) AS asked (place, of_parent) CROSS JOIN LATERAL (\
        SELECT \(StateSource.columns) FROM documents WHERE of_database = \(number) AND parent = asked.of_parent \
        ORDER BY parent, document LIMIT \(limit)) AS page
        """
    }

    /// The last row has the time of the last commit.
    static let withKey = """
        SELECT one.parent, one.document, one.fields, one.created_at, one.updated_at, asked.place \
        FROM unnest($5::bigint[], $6::bytea[]) AS asked (place, of_key) CROSS JOIN LATERAL (\
        SELECT documents.parent, documents.document, fields, created_at, updated_at FROM entries \
        JOIN documents ON documents.of_database = entries.of_database AND documents.parent = entries.parent \
        AND documents.document = entries.document WHERE entries.of_database = \(number) \
        AND entries.scope = $3::text AND entries.field = $4::text AND entries.key = asked.of_key \
        ORDER BY entries.parent, entries.document LIMIT \(SharedReads.mostWithKey + 1)) AS one \
        UNION ALL SELECT ''::text, ''::text, NULL::text, last_commit, last_change, -1::bigint FROM databases \
        WHERE project = $1::text AND database = $2::text
        """
}
