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
    /// Hides the secrets in a document's fields.
    let redact: @Sendable (Fields) -> Fields
    /// A number that no other server has, and that stays the same after a restart.
    let server: UInt64
    /// The advice on queries that production refuses without an index, if wanted.
    let indexAdvice: (any IndexAdvice)?
    let logger: Logger
    let metrics = CallMetrics()
    let knownDatabases: KnownDatabases

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - engine: the engine of the databases.
    ///   - redact: hides the secrets in fields that a caller with redacted access reads.
    ///   - server: a number that no other server has, for resume tokens. Listeners resume after a restart of the server
    ///     if it is the same as before.
    ///   - indexAdvice: receives the queries, to warn of those that need an index in production; `nil` for none.
    ///   - logger: receives the names of databases, never those of documents.
    package init(
        engine: any DocumentEngine, redact: @escaping @Sendable (Fields) -> Fields, server: UInt64,
        indexAdvice: (any IndexAdvice)? = nil, logger: Logger
    ) {
        self.engine = engine
        self.redact = redact
        self.server = server
        self.indexAdvice = indexAdvice
        self.logger = logger
        transactions = Transactions(engine: engine)
        knownDatabases = KnownDatabases(logger: logger)
    }
}

extension FirestoreService {
    /// Returns the message of a document, without its secrets if the caller's access is redacted.
    func message(
        of document: Document, in database: DatabaseID, for access: FirestoreCaller.Access, mask: [FieldPath]? = nil
    ) -> Google_Firestore_V1_Document {
        guard access == .redacted else { return Google_Firestore_V1_Document(document, in: database, mask: mask) }
        let visible = Document(
            path: document.path, fields: redact(document.fields), createTime: document.createTime,
            updateTime: document.updateTime)
        return Google_Firestore_V1_Document(visible, in: database, mask: mask)
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
