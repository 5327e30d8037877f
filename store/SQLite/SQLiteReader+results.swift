import GRDB
import Synchronization

extension SQLiteReader {
    /// Returns the documents that match in pieces of one state of the file. A result of one piece is read at once on
    /// the calling thread, if that is quick. A long one has a connection with a read transaction while its consumer is
    /// quick or no other result waits, for the time of ``SQLiteStoreConfiguration/resultLifetime`` at most.
    package func results(of query: Query) async throws(StoreError) -> QueryResults {
        let query = try PlannedQuery(query, in: database)
        let short = try engine.readInPlace { db -> (Timestamp, [Document])? in
            let time = try readTime(db)
            guard let state = try lastingState(db) else { return (time, []) }
            var rows = try FileResultRows(state.compiler(query), db)
            return try rows.whole(db).map { (time, $0) }
        }
        if case .some(.some(let (time, documents))) = short { return QueryResults(documents, readTime: time) }
        let reading = try await engine.results.reading { db, query, time in
            let reader = time.map { SQLiteReader(database: database, time: $0, engine: engine) } ?? self
            let state = try reader.lastingState(db)
            return (try reader.readTime(db), try state.map { try FileResultRows($0.compiler(query), db) })
        }
        let time = try await reading.begin(query)
        return QueryResults(readTime: time) { () async throws(StoreError) in try await reading.next() }
    }

    private func readTime(_ db: Database) throws -> Timestamp {
        if let time { return time }
        return try SQLStatements.lastCommit(db) ?? engine.readTime(of: database)
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
