import DocumentStore
import Logging
import Synchronization

/// The databases that calls have named. The log names each of them once: a client with a wrong project finds nothing,
/// and its developer finds the reason there.
final class KnownDatabases: Sendable {
    private let names = Mutex<Set<DatabaseID>>([])
    private let logger: Logger
    /// The greatest number of names. Clients make names up, and later ones are not logged.
    private static let capacity = 1_000

    init(logger: Logger) { self.logger = logger }

    /// Logs the name of a database at its first call.
    func observe(_ database: DatabaseID) {
        let isNew = names.withLock { names in
            guard names.count < Self.capacity else { return false }
            return names.insert(database).inserted
        }
        guard isNew else { return }
        logger.notice("received the first request for a database", metadata: ["database": "\(database)"])
    }
}
