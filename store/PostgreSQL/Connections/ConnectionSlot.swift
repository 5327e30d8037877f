import DocumentStore

/// The connection of one thread, which is made when it is needed first, and again after it was lost.
final class ConnectionSlot {
    private let configuration: PostgreSQLStoreConfiguration
    private let patience: Duration
    private var connection: Connection?

    /// - Parameter patience: the time after which a server that is silent is given up.
    init(_ configuration: PostgreSQLStoreConfiguration, patience: Duration = Connection.patience) {
        self.configuration = configuration
        self.patience = patience
    }

    /// Runs a closure on the connection. It starts again on a new one if the connection was lost while it was idle, so
    /// it must change nothing that it may not change twice.
    func attempt<Answer>(_ body: (Connection) throws -> Answer) -> Result<Answer, StoreError> {
        do {
            let (wasIdle, connection) = try ready()
            do {
                return .success(try body(connection))
            } catch let error as PostgreSQLError where error.isLost && wasIdle {
                return .success(try body(try ready().connection))
            }
        } catch {
            return .failure(StoreError(wrapping: error))
        }
    }

    var isConnected: Bool { connection?.isAlive == true }

    /// Returns a connection, and `true` if it was used before.
    func ready() throws -> (wasIdle: Bool, connection: Connection) {
        if let connection, connection.isAlive { return (true, connection) }
        let new = try Connection(configuration, patience: patience)
        connection = new
        return (false, new)
    }
}
