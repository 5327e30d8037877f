import DocumentStore
import FirestoreProtos

/// The messages of a query's answer: one for each document, of which the last one says that it is the last.
///
/// A message waits until the next one is known. Thus the client receives the first document before the last is read.
struct QueryAnswer: Sendable {
    private let database: DatabaseID
    private let readTime: Timestamp?
    private let redact: (@Sendable (Fields) -> Fields)?
    private let write: @Sendable (QueryResponse) async throws -> Void
    private var skipped: Int
    private var pending: QueryResponse?
    /// The number of documents so far.
    private(set) var count = 0

    /// Makes an answer without messages.
    ///
    /// - Parameters:
    ///   - readTime: the time of the documents' state; `nil` for the plan of a query that is not run.
    ///   - skipped: the number of documents before the first one, which its message tells.
    ///   - redact: hides secrets in a document's fields; `nil` if the client may see them.
    init(
        of database: DatabaseID, readTime: Timestamp?, skipped: Int, redact: (@Sendable (Fields) -> Fields)?,
        write: @escaping @Sendable (QueryResponse) async throws -> Void
    ) {
        self.database = database
        self.readTime = readTime
        self.skipped = skipped
        self.redact = redact
        self.write = write
    }

    /// Adds a document, and sends the one before it.
    ///
    /// - Parameter mask: the fields to send; `nil` for all.
    mutating func add(_ document: Document, mask: FieldSelection? = nil) async throws(FirestoreStatus) {
        try await sendPending()
        var response = QueryResponse(in: database)
        response.document = visible(document, mask)
        response.readTime = readTime
        response.skipped = Int32(clamping: skipped)
        skipped = 0
        count += 1
        pending = response
    }

    /// Sends the last message.
    ///
    /// - Parameter metrics: the explanation of the query, if the client asks for it.
    mutating func finish(_ metrics: Google_Firestore_V1_ExplainMetrics? = nil) async throws(FirestoreStatus) {
        var last = pending ?? QueryResponse(in: database)
        last.readTime = readTime
        last.isLast = true
        last.metrics = metrics
        pending = last
        try await sendPending()
    }

    private mutating func sendPending() async throws(FirestoreStatus) {
        guard let response = pending else { return }
        pending = nil
        do {
            try await write(response)
        } catch {
            throw FirestoreStatus(catching: error)
        }
    }

    /// Returns a document without the fields that the client may not see or does not want.
    private func visible(_ document: Document, _ mask: FieldSelection?) -> Document {
        guard redact != nil || mask != nil else { return document }
        let fields = redact?(document.fields) ?? document.fields
        return Document(
            path: document.path, fields: mask?.parts(of: fields) ?? fields,
            createTime: document.createTime, updateTime: document.updateTime)
    }
}
