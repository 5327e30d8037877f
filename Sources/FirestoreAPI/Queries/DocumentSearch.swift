import DocumentStore
import FirestoreProtos
import SwiftProtobuf

/// A query of the store, or a search for the nearest vectors among its results.
struct DocumentSearch: Sendable {
    /// The query that the store runs.
    let query: Query
    /// The search among the query's results; `nil` for a plain query.
    let nearest: NearestNeighbors?
    /// The fields of a found vector's document to return; `nil` for all. For a plain query, the store selects them.
    let projection: FieldSelection?

    /// Reads a query and its vector search.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is not valid.
    init(_ proto: Google_Firestore_V1_StructuredQuery, parent: ParentName) throws(FirestoreStatus) {
        var query = try Query(plain: proto, parent: parent)
        guard proto.hasFindNearest else {
            self.init(query: query, nearest: nil, projection: nil)
            return
        }
        guard query.offset == 0, query.limit == nil else {
            throw .invalid("FindNearest cannot be used with a query's offset or limit.")
        }
        let nearest = try NearestNeighbors(proto.findNearest)
        let projection = query.projection
        query.projection = projection.map { $0 + [nearest.field] }
        self.init(query: query, nearest: nearest, projection: projection.map { FieldSelection($0) })
    }

    /// The indexes with which production answers the search, one for each alternative of its filter.
    var indexes: [QueryIndex] {
        let indexes = QueryIndex.indexes(for: query)
        return nearest.map { nearest in indexes.map { $0.with(nearest) } } ?? indexes
    }

    private init(query: Query, nearest: NearestNeighbors?, projection: FieldSelection?) {
        self.query = query
        self.nearest = nearest
        self.projection = projection
    }
}
