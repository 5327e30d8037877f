import GRDB
import Synchronization

extension SQLiteReader {
    /// Returns the documents that match in pieces of one state of the file. A short result is read at once on the
    /// calling thread. A long one keeps a connection and a read transaction, for the time of
    /// ``SQLiteStoreConfiguration/resultLifetime`` at most.
    func results(of query: Query) async throws(StoreError) -> QueryResults {
        let query = try PlannedQuery(query, in: database)
        let whole = try engine.readInPlace { db in
            (try readTime(db), try lastingState(db)?.compiler(query).documents(db) ?? [])
        }
        if let (time, documents) = whole { return QueryResults(documents, readTime: time) }
        let reading = try await engine.results.reading()
        let time = try await reading.begin { db in
            (try readTime(db), try lastingState(db).map { try ResultRows($0.compiler(query), db) })
        }
        return QueryResults(readTime: time) { () async throws(StoreError) in try await reading.next() }
    }

    private func readTime(_ db: Database) throws -> Timestamp {
        if let time { return time }
        return try SQLStatements.lastCommit(db) ?? engine.readTime
    }
}

extension QueryResults {
    /// Makes results of one piece, or of none if there are no documents.
    fileprivate init(_ documents: [Document], readTime: Timestamp) {
        let rest = OnePiece(documents)
        self.init(readTime: readTime) { () async throws(StoreError) in rest.take() }
    }
}

/// Documents that are taken once.
private final class OnePiece: Sendable {
    private let documents: Mutex<[Document]>

    init(_ documents: [Document]) { self.documents = Mutex(documents) }

    func take() -> [Document]? {
        documents.withLock { documents in
            defer { documents = [] }
            return documents.isEmpty ? nil : documents
        }
    }
}
