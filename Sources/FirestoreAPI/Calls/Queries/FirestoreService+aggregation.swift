import DocumentStore
package import FirestoreProtos
import SwiftProtobuf

extension FirestoreService {
    /// Runs aggregations over a query, and sends their results in one message.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the query or an aggregation is not valid; the errors of the transaction or the
    ///   time to read.
    package func runAggregationQuery(
        _ request: Google_Firestore_V1_RunAggregationQueryRequest, as caller: FirestoreCaller,
        write: @escaping @Sendable (Google_Firestore_V1_RunAggregationQueryResponse) async throws -> Void
    ) async throws(FirestoreStatus) {
        let parent = try ParentName(request.parent)
        let access = try caller.access(to: parent.database)
        let (search, aggregation) = try Self.aggregation(request, parent)
        try access.check(search.query, redaction)
        let selector = ReadSelector(request.consistencySelector)
        let view = try await transactions.view(
            for: selector, in: parent.database, searching: search.query.scope)
        let run = AggregationRun(
            run: QueryRun(search: search, view: view, caller: caller), aggregation: aggregation)
        let response = try await run.response(request.hasExplainOptions ? request.explainOptions : nil)
        indexAdvice?.note(search.query, in: parent.database)
        do {
            try await write(response)
        } catch {
            throw FirestoreStatus(catching: error)
        }
    }

    private static func aggregation(
        _ request: Google_Firestore_V1_RunAggregationQueryRequest, _ parent: ParentName
    ) throws(FirestoreStatus) -> (search: DocumentSearch, aggregation: StructuredAggregation) {
        guard case .structuredAggregationQuery(let proto) = request.queryType,
            case .structuredQuery(let query) = proto.queryType
        else { throw .invalid("StructuredAggregationQuery.structured_query must be specified.") }
        let aggregation = try StructuredAggregation(proto.aggregations)
        guard !query.hasSelect || aggregation.onlyCounts else {
            throw .invalid("Cannot apply property masks when aggregation fields are present.")
        }
        return (try DocumentSearch(query, parent: parent), aggregation)
    }
}

/// One run of aggregations over a query or a vector search.
struct AggregationRun: Sendable {
    let run: QueryRun
    let aggregation: StructuredAggregation

    /// Returns the message of the results.
    ///
    /// - Parameter explain: the options of the explanation; `nil` if the client asks for none. Without `analyze`, the
    ///   message has no results and no time of reading.
    func response(
        _ explain: Google_Firestore_V1_ExplainOptions?
    ) async throws(FirestoreStatus) -> Google_Firestore_V1_RunAggregationQueryResponse {
        var response = Google_Firestore_V1_RunAggregationQueryResponse()
        if let id = run.view.newTransaction { response.transaction = id }
        let query = run.search.query
        var work: QueryWork?
        if let explain, !explain.analyze {
            _ = try await values(over: query.limited(to: 0))
        } else {
            let begun = QueryWork()
            run.view.note(query)
            let computed = try await values()
            response.result = aggregation.result(computed)
            response.readTime = Google_Protobuf_Timestamp(run.view.readTime)
            work = .aggregation(over: Self.greatestCount(aggregation.aggregations, computed), after: begun)
        }
        if explain != nil { response.explainMetrics = Google_Firestore_V1_ExplainMetrics(run.search, work: work) }
        return response
    }

    private func values() async throws(FirestoreStatus) -> [Value] {
        guard let nearest = run.search.nearest else { return try await values(over: run.search.query) }
        // The store checks the aggregations.
        _ = try await values(over: run.search.query.limited(to: 0))
        let found = try await run.neighbors(in: run.results(), of: nearest).heap.count
        var counts: [Value] = []
        for kind in aggregation.aggregations { counts.append(try Self.count(kind, of: found)) }
        return counts
    }

    private func values(over query: Query) async throws(FirestoreStatus) -> [Value] {
        do throws(StoreError) {
            return try await run.view.reader.aggregate(aggregation.aggregations, over: query)
        } catch {
            throw FirestoreStatus(error)
        }
    }

    private static func count(_ aggregation: Aggregation, of found: Int) throws(FirestoreStatus) -> Value {
        switch aggregation {
        case .count: return .integer(Int64(found))
        case .countUpTo(let limit): return .integer(Int64(min(found, limit)))
        case .sum, .average: throw .invalid("Only counts are supported over FindNearest.")
        }
    }

    /// Returns the greatest of the counts, as an estimate of the entries that an index of production would have.
    private static func greatestCount(_ aggregations: [Aggregation], _ values: [Value]) -> Int {
        let counts = zip(aggregations, values).compactMap { aggregation, value -> Int64? in
            switch aggregation {
            case .count, .countUpTo: value.integer
            case .sum, .average: nil
            }
        }
        return Int(counts.max() ?? 0)
    }
}
