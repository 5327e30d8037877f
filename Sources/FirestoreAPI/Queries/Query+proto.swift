import DocumentStore
import FirestoreProtos
import SwiftProtobuf

extension Query {
    /// Reads a query. The store checks the parts together when it runs the query.
    ///
    /// - Parameter parent: the document below which the query searches, or the root of a database.
    /// - Throws: `INVALID_ARGUMENT` if a part is not valid, or if the query is a vector search, which is not a query of
    ///   the store: ``DocumentSearch`` reads both.
    init(_ proto: Google_Firestore_V1_StructuredQuery, parent: ParentName) throws(FirestoreStatus) {
        guard !proto.hasFindNearest else {
            throw .invalid("FindNearest is not supported by this method.")
        }
        try self.init(plain: proto, parent: parent)
    }

    /// Reads a query without its vector search, if it has one.
    init(plain proto: Google_Firestore_V1_StructuredQuery, parent: ParentName) throws(FirestoreStatus) {
        self.init(try Scope(proto.from, parent: parent))
        if proto.hasWhere { filter = try Filter(proto.where) }
        for order in proto.orderBy { orders.append(try Order(order)) }
        if proto.hasStartAt { start = try Cursor(proto.startAt) }
        if proto.hasEndAt { end = try Cursor(proto.endAt) }
        offset = Int(proto.offset)
        if proto.hasLimit { limit = Int(proto.limit.value) }
        if proto.hasSelect { projection = try Self.projection(proto.select) }
    }

    /// Returns the fields to return. A document's name always comes, so it is not among them.
    private static func projection(
        _ proto: Google_Firestore_V1_StructuredQuery.Projection
    ) throws(FirestoreStatus) -> [FieldPath] {
        try RequestLimits.check(fields: proto.fields.count)
        var fields: [FieldPath] = []
        var names = 0
        for reference in proto.fields {
            let field = try FieldPath(reference)
            names += field.segments.count
            try RequestLimits.check(names: names)
            if field != .documentName { fields.append(field) }
        }
        return fields
    }
}

extension Query.Scope {
    /// Reads the collections to search. Without a collection id, these are the collections of any id.
    fileprivate init(
        _ selectors: [Google_Firestore_V1_StructuredQuery.CollectionSelector], parent: ParentName
    ) throws(FirestoreStatus) {
        guard selectors.count <= 1 else {
            throw .invalid("StructuredQuery.from cannot have more than one collection selector.")
        }
        let selector = selectors.first ?? .init()
        switch (selector.collectionID.isEmpty, selector.allDescendants) {
        case (true, true): self = .descendants(of: parent.document)
        case (true, false): self = .children(of: parent.document)
        case (false, true): self = .collectionGroup(selector.collectionID, below: parent.document)
        case (false, false): self = .collection(try parent.collection(selector.collectionID))
        }
    }
}

extension Order {
    /// Reads an order, which is ascending unless stated otherwise.
    fileprivate init(_ proto: Google_Firestore_V1_StructuredQuery.Order) throws(FirestoreStatus) {
        let field = try FieldPath(proto.field)
        switch proto.direction {
        case .unspecified, .ascending: self.init(field, .ascending)
        case .descending: self.init(field, .descending)
        case .UNRECOGNIZED(let number):
            throw .invalid("Unknown order direction: \(number).")
        }
    }
}

extension Cursor {
    /// Reads a position. `before` places it before the documents with these values, as a start and as an end.
    fileprivate init(_ proto: Google_Firestore_V1_Cursor) throws(FirestoreStatus) {
        self.init(try Value.elements(proto.values), isAfter: !proto.before)
    }
}
