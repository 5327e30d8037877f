import DocumentStore
import FirestoreProtos
import SwiftProtobuf

/// The messages of a query's answer: one for each document, of which the last one says that it is the last.
///
/// A message waits until the next one is known. Thus the client receives the first document before the last is read.
struct QueryAnswer: Sendable {
    typealias Response = Google_Firestore_V1_RunQueryResponse

    private let database: DatabaseID
    private let readTime: Google_Protobuf_Timestamp
    private let redact: (@Sendable (Fields) -> Fields)?
    private let write: @Sendable (Response) async throws -> Void
    private var skipped: Int
    private var pending: Response?
    /// The number of documents so far.
    private(set) var count = 0

    /// Makes an answer without messages.
    ///
    /// - Parameters:
    ///   - skipped: the number of documents before the first one, which its message tells.
    ///   - redact: hides secrets in a document's fields; `nil` if the client may see them.
    init(
        of database: DatabaseID, readTime: Timestamp, skipped: Int, redact: (@Sendable (Fields) -> Fields)?,
        write: @escaping @Sendable (Response) async throws -> Void
    ) {
        self.database = database
        self.readTime = Google_Protobuf_Timestamp(readTime)
        self.skipped = skipped
        self.redact = redact
        self.write = write
    }

    /// Adds a document, and sends the one before it.
    ///
    /// - Parameter mask: the fields to send; `nil` for all.
    mutating func add(_ document: Document, mask: [FieldPath]? = nil) async throws(FirestoreStatus) {
        try await sendPending()
        var response = Response()
        response.document = Google_Firestore_V1_Document(redacted(document), in: database, mask: mask)
        response.readTime = readTime
        response.skippedResults = Int32(clamping: skipped)
        skipped = 0
        count += 1
        pending = response
    }

    /// Sends the last message.
    ///
    /// - Parameter metrics: the explanation of the query, if the client asks for it.
    mutating func finish(_ metrics: Google_Firestore_V1_ExplainMetrics? = nil) async throws(FirestoreStatus) {
        var last = pending ?? Response()
        last.readTime = readTime
        last.done = true
        if let metrics { last.explainMetrics = metrics }
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

    private func redacted(_ document: Document) -> Document {
        guard let redact else { return document }
        return Document(
            path: document.path, fields: redact(document.fields), createTime: document.createTime,
            updateTime: document.updateTime)
    }
}
