import DocumentStore
package import FirestoreProtos

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FirestoreService {
    /// Runs a query, and sends a message for each document as it is read.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the query is not valid; the errors of the transaction or the time to read.
    package func runQuery(
        _ request: Google_Firestore_V1_RunQueryRequest, as caller: FirestoreCaller,
        write: @escaping @Sendable (QueryResponse) async throws -> Void
    ) async throws(FirestoreStatus) {
        let parent = try ParentName(request.parent)
        let access = try caller.access(to: parent.database)
        guard case .structuredQuery(let proto) = request.queryType else {
            throw .invalid("RunQueryRequest.structured_query must be specified.")
        }
        let search = try DocumentSearch(proto, parent: parent)
        try access.check(search.query, redaction)
        let work = QueryWork()
        let view = try await transactions.view(
            for: ReadSelector(request.consistencySelector), in: parent.database, searching: search.query.scope)
        if let id = view.newTransaction { try await Self.sendTransaction(id, in: parent.database, write) }
        let run = QueryRun(search: search, view: view, caller: caller)
        let isExplained = request.hasExplainOptions && !request.explainOptions.analyze
        let results = try await isExplained ? run.emptyResults() : run.results()
        indexAdvice?.note(search.query, in: parent.database)
        var answer = QueryAnswer(
            of: parent.database, readTime: isExplained ? nil : results.readTime, skipped: search.query.offset,
            redact: access == .redacted ? redaction.hide : nil, write: write)
        guard !isExplained else {
            try await answer.finish(Google_Firestore_V1_ExplainMetrics(search, work: nil))
            return
        }
        let scanned = try await run.send(results, to: &answer)
        let done = QueryWork.documents(answer.count, scanned: scanned, after: work)
        try await answer.finish(
            request.hasExplainOptions ? Google_Firestore_V1_ExplainMetrics(search, work: done) : nil)
    }

    /// Sends the id of a transaction that began with the query, which clients expect in a message of its own.
    private static func sendTransaction(
        _ id: Data, in database: DatabaseID, _ write: @Sendable (QueryResponse) async throws -> Void
    ) async throws(FirestoreStatus) {
        var response = QueryResponse(in: database)
        response.transaction = id
        do {
            try await write(response)
        } catch {
            throw FirestoreStatus(catching: error)
        }
    }
}
