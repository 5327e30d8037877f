package import DocumentStore
import FirestoreProtos
package import Logging

/// Cloud Firestore's own interface over the databases of an engine. It knows no transport: gRPC calls it through
/// ``method(_:)``, and REST calls its methods with the messages.
///
/// Each call resolves the database from its message, then the caller's access to it.
package struct FirestoreService: Sendable {
    let engine: any DocumentEngine
    let transactions: Transactions
    /// The rule for the secrets in databases of which callers have redacted access.
    let redaction: Redaction
    /// A number that no other server has, and that stays the same after a restart.
    let server: UInt64
    /// The advice on queries that production refuses without an index, if wanted.
    let indexAdvice: (any IndexAdvice)?
    let logger: Logger
    let metrics = CallMetrics()
    let knownDatabases: KnownDatabases
    /// The thread for calls with large requests.
    let largeRequests = LargeRequests()
    /// The memory for what large requests become.
    let requestMemory = RequestMemory()
    /// The same for requests that are answered with streams. They keep it for as long as their clients take to read,
    /// and must not keep it from writes.
    let readMemory = RequestMemory()

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - engine: the engine of the databases.
    ///   - redaction: the rule for the secrets in databases of which callers have redacted access.
    ///   - server: a number that no other server has, and that stays the same after a restart: listeners then resume,
    ///     and open transactions are recognised.
    ///   - indexAdvice: receives the queries, to warn of those that need an index in production; `nil` for none.
    ///   - logger: receives the names of databases, never those of documents.
    package init(
        engine: any DocumentEngine, redaction: Redaction, server: UInt64,
        indexAdvice: (any IndexAdvice)? = nil, logger: Logger
    ) {
        self.engine = engine
        self.redaction = redaction
        self.server = server
        self.indexAdvice = indexAdvice
        self.logger = logger
        transactions = Transactions(engine: engine, server: server)
        knownDatabases = KnownDatabases(logger: logger)
    }
}

extension FirestoreService {
    /// Returns the message of a document, without its secrets if the caller's access is redacted.
    func message(
        of document: Document, in database: DatabaseID, for access: FirestoreCaller.Access, mask: FieldSelection? = nil
    ) -> Google_Firestore_V1_Document {
        guard access == .redacted else { return Google_Firestore_V1_Document(document, in: database, mask: mask) }
        let visible = Document(
            path: document.path, fields: redaction.hide(document.fields), createTime: document.createTime,
            updateTime: document.updateTime)
        return Google_Firestore_V1_Document(visible, in: database, mask: mask)
    }

    /// Reads the writes of a request.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is malformed, a write to another database, or contains the mark of a
    ///   secret that is hidden from the caller.
    func writes(
        _ messages: [Google_Firestore_V1_Write], in database: DatabaseID, for access: FirestoreCaller.Access
    ) throws(FirestoreStatus) -> [Write] {
        let writes = try Write.writes(messages, in: database)
        if access == .redacted { try redaction.check(writes) }
        return writes
    }

    /// Sends one message of a stream's answer.
    ///
    /// - Throws: `CANCELLED` if the client does not read on.
    func send<Message: Sendable>(
        _ message: Message, to write: @Sendable (Message) async throws -> Void
    ) async throws(FirestoreStatus) {
        do {
            try await write(message)
        } catch let status as FirestoreStatus {
            throw status
        } catch {
            throw FirestoreStatus(.cancelled, "The client does not read the answer.")
        }
    }
}
