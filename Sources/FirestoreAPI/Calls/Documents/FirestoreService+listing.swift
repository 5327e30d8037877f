import DocumentStore
package import FirestoreProtos
import SwiftProtobuf

/// Lists of documents and of collections, in pages.
extension FirestoreService {
    /// Returns a page of the documents of a collection, or of all collections directly below the parent if the request
    /// names none.
    package func listDocuments(
        _ request: Google_Firestore_V1_ListDocumentsRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_ListDocumentsResponse {
        let parent = try ParentName(request.parent)
        let access = try caller.access(to: parent.database)
        let list = try DocumentList(request, below: parent)
        // A token contains the values by which the list is ordered.
        guard access == .full || list.clause.isByName else {
            throw FirestoreStatus(.permissionDenied, "The caller may order documents by their names only.")
        }
        let view = try await transactions.view(
            for: ReadSelector(request.consistencySelector), in: parent.database, searching: list.query.scope)
        view.note(list.query)
        let (entries, token) = try await list.page(from: view.reader)
        var response = Google_Firestore_V1_ListDocumentsResponse()
        response.documents = entries.map { entry in
            guard let document = entry.document else { return .with { $0.name = entry.path.name(in: parent.database) } }
            return message(of: document, in: parent.database, for: access, mask: list.mask)
        }
        response.nextPageToken = token?.text ?? ""
        return response
    }

    /// Returns a page of the ids of the collections directly below a document or at the root.
    package func listCollectionIDs(
        _ request: Google_Firestore_V1_ListCollectionIdsRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_ListCollectionIdsResponse {
        let parent = try ParentName(request.parent)
        _ = try caller.access(to: parent.database)
        let size = try PageSize.of(request.pageSize)
        let list = ListFingerprint("collections", request.parent)
        let last = try PageToken(request.pageToken, of: list, count: 1)
        let view = try await transactions.view(for: ReadSelector(request.consistencySelector), in: parent.database)
        var ids = try await collectionIDs(below: parent.document, from: view.reader)[...]
        if let last {
            guard case .string(let id)? = last.values.first else { throw PageToken.invalid }
            ids = ids.drop { !id.utf8.lexicographicallyPrecedes($0.utf8) }
        }
        var response = Google_Firestore_V1_ListCollectionIdsResponse()
        response.collectionIds = Array(ids.prefix(size))
        if ids.count > size, let id = response.collectionIds.last {
            response.nextPageToken = PageToken([.string(id)], of: list).text
        }
        return response
    }

    private func collectionIDs(
        below document: DocumentPath?, from reader: any DocumentReader
    ) async throws(FirestoreStatus) -> [String] {
        do {
            return try await reader.collectionIDs(below: document)
        } catch {
            throw FirestoreStatus(error)
        }
    }
}

/// A page of a list of documents, as a request asks for it.
private struct DocumentList {
    /// The number of entries that are read at a time if missing documents are among them.
    private static let step = 32

    let database: DatabaseID
    let clause: OrderByClause
    let mask: FieldSelection?
    /// The query of the page, with one document more, which shows that there is another page.
    let query: Query
    private let size: Int
    private let fingerprint: ListFingerprint
    private let token: PageToken?
    /// The collection, if the list has missing documents too.
    private let collectionWithMissing: CollectionPath?

    init(_ request: Google_Firestore_V1_ListDocumentsRequest, below parent: ParentName) throws(FirestoreStatus) {
        database = parent.database
        clause = try OrderByClause(request.orderBy)
        mask = try request.hasMask ? FieldSelection(request.mask) : nil
        size = try PageSize.of(request.pageSize)
        fingerprint = ListFingerprint(
            "documents", request.parent, request.collectionID, clause.description, "\(request.showMissing)")
        token = try PageToken(request.pageToken, of: fingerprint, count: clause.orders.count)
        let collection = try request.collectionID.isEmpty ? nil : parent.collection(request.collectionID)
        if request.showMissing {
            guard request.orderBy.isEmpty else { throw .invalid("show_missing cannot be used with order_by.") }
            guard let collection else { throw .invalid("show_missing needs a collection_id.") }
            collectionWithMissing = collection
        } else {
            collectionWithMissing = nil
        }
        var query = collection.map { Query.collection($0) } ?? .children(of: parent.document)
        query.orders = clause.orders
        query.limit = size + 1
        query.start = token.map { Cursor($0.values, isAfter: true) }
        // A token needs the fields of the order.
        if clause.isByName { query.projection = mask?.paths }
        self.query = query
        _ = try token?.lastPath(in: database)
    }

    /// Reads the page, and the token of the next one; `nil` if there is none.
    func page(from reader: any DocumentReader) async throws(FirestoreStatus) -> ([ListedDocument], PageToken?) {
        var page = DocumentPage(most: size)
        let after = try token?.lastPath(in: database).id
        do throws(StoreError) {
            if let collectionWithMissing {
                try await fill(&page, with: collectionWithMissing, after: after, from: reader)
            } else {
                try await fill(&page, from: reader)
            }
        } catch {
            throw FirestoreStatus(error)
        }
        return (page.entries, page.isFull ? page.entries.last.map { position(of: $0) } : nil)
    }

    /// Adds the query's results, as far as there is place for them.
    private func fill(_ page: inout DocumentPage, from reader: any DocumentReader) async throws(StoreError) {
        let results = try await reader.results(of: query)
        while !page.isFull, let documents = try await results.next() {
            for document in documents { page.add(ListedDocument(path: document.path, document: document)) }
        }
    }

    /// Adds the entries of a collection with missing documents, as far as there is place for them.
    private func fill(
        _ page: inout DocumentPage, with collection: CollectionPath, after id: String?, from reader: any DocumentReader
    ) async throws(StoreError) {
        var last = id
        while !page.isFull {
            let entries = try await reader.listing(
                of: collection, after: last, limit: min(size + 1, Self.step), projection: mask?.paths)
            guard let next = entries.last?.path.id else { return }
            for entry in entries { page.add(entry) }
            last = next
        }
    }

    /// Returns the position of an entry in the list's order.
    private func position(of entry: ListedDocument) -> PageToken {
        PageToken(
            clause.orders.map { order in
                order.field == .documentName
                    ? .reference(entry.path.name(in: database))
                    : entry.document?.fields.value(at: order.field) ?? .null
            }, of: fingerprint)
    }
}
