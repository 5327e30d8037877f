import DocumentStore
package import FirestoreProtos
import SwiftProtobuf

extension FirestoreService {
    /// Returns positions that cut a collection group into parts of about the same size, in pages.
    ///
    /// - Throws: `INVALID_ARGUMENT` unless the query is for all documents of a collection group by name.
    package func partitionQuery(
        _ request: Google_Firestore_V1_PartitionQueryRequest, as caller: FirestoreCaller
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_PartitionQueryResponse {
        let parent = try ParentName(request.parent)
        let access = try caller.access(to: parent.database)
        guard case .structuredQuery(let proto) = request.queryType else {
            throw .invalid("PartitionQueryRequest.structured_query must be specified.")
        }
        let query = try Partition.query(try Query(proto, parent: parent))
        try access.check(query)
        let page = try PartitionPage(request, of: proto, in: parent.database)
        let view = try await transactions.view(for: ReadSelector(request.consistencySelector), in: parent.database)
        let partition = Partition(query: query, reader: view.reader)
        return page.response(try await partition.positions(most: request.partitionCount), in: parent.database)
    }
}

/// A page of positions. Its token has the name of the last position of the page before it.
private struct PartitionPage {
    /// The greatest number of positions in a page.
    private static let most = 1_000

    private let list: ListFingerprint
    private let after: DocumentPath?
    private let size: Int

    init(
        _ request: Google_Firestore_V1_PartitionQueryRequest, of query: Google_Firestore_V1_StructuredQuery,
        in database: DatabaseID
    ) throws(FirestoreStatus) {
        guard request.partitionCount > 0 else { throw .invalid("partition_count must be positive.") }
        guard request.pageSize >= 0 else { throw .invalid("page_size must not be negative.") }
        size = request.pageSize == 0 ? Self.most : min(Int(request.pageSize), Self.most)
        list = ListFingerprint(
            "partitions", request.parent, query.from.first?.collectionID ?? "", "\(request.partitionCount)")
        after = try PageToken(request.pageToken, of: list, count: 1)?.lastPath(in: database)
    }

    func response(_ positions: [DocumentPath], in database: DatabaseID) -> Google_Firestore_V1_PartitionQueryResponse {
        let rest = positions.filter { position in after.map { $0 < position } ?? true }
        let page = rest.prefix(size)
        var response = Google_Firestore_V1_PartitionQueryResponse()
        response.partitions = page.map { position in
            .with {
                $0.values = [Google_Firestore_V1_Value(.reference(position.name(in: database)))]
                $0.before = true
            }
        }
        if rest.count > page.count, let last = page.last {
            response.nextPageToken = PageToken([.reference(last.name(in: database))], of: list).text
        }
        return response
    }
}

/// A collection group to cut into parts.
private struct Partition {
    /// The least number of documents in a part, as in production.
    private static let least = 128

    let query: Query
    let reader: any DocumentReader

    /// Returns the query for the names of the documents.
    static func query(_ query: Query) throws(FirestoreStatus) -> Query {
        guard case .collectionGroup = query.scope, query.filter == nil, query.start == nil, query.end == nil,
            query.offset == 0, query.limit == nil, query.orders == [] || query.orders == [Order(.documentName)]
        else {
            throw .invalid(
                "PartitionQuery must be of a collection group with all descendants, ordered by __name__ ascending, "
                    + "without filters, cursors, offset and limit.")
        }
        var query = query
        query.projection = []
        return query
    }

    /// Returns the first document of each part but the first, in the order of names.
    func positions(most: Int64) async throws(FirestoreStatus) -> [DocumentPath] {
        do throws(StoreError) {
            let count = Int(try await reader.aggregate([.count], over: query).first?.integer ?? 0)
            let parts = count / Self.least > most ? Int(most) + 1 : count / Self.least
            guard parts > 1 else { return [] }
            return try await positions(count: count, parts: parts)
        } catch {
            throw FirestoreStatus(error)
        }
    }

    private func positions(count: Int, parts: Int) async throws(StoreError) -> [DocumentPath] {
        var (positions, read, next) = ([DocumentPath](), 0, count / parts)
        let results = try await reader.results(of: query)
        while positions.count < parts - 1, let documents = try await results.next() {
            while positions.count < parts - 1, next < read + documents.count {
                positions.append(documents[next - read].path)
                next = count * (positions.count + 1) / parts
            }
            read += documents.count
        }
        return positions
    }
}
