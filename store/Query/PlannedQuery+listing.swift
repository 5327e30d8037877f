extension PlannedQuery {
    /// Plans the query for the documents of a page of a collection, as
    /// ``DocumentReader/listing(of:after:limit:projection:)`` describes it.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the id, the limit or a field is not valid.
    package init(
        listing collection: CollectionPath, after id: String?, limit: Int, projection: [FieldPath]?,
        in database: DatabaseID
    ) throws(StoreError) {
        var query = Query.collection(collection).ordered(by: .documentName).limited(to: limit)
        query.projection = projection
        if let id {
            let last = try collection.document(stored: id).name(in: database)
            query.start = Cursor([.reference(last)], isAfter: true)
        }
        try self.init(query, in: database)
    }
}
