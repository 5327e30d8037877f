import Dispatch
import DocumentStore

/// A connection to the server on which results are read in pieces. Its queue has a thread of its own while it waits for
/// the server.
final class ServerResultConnection: ResultConnection {
    typealias OpenResult = ServerResultRows

    /// The state of the queue.
    private final class State: @unchecked Sendable {  // because only blocks on the queue use the variables
        let slot: ConnectionSlot
        var isClosed = false

        init(_ slot: ConnectionSlot) { self.slot = slot }
    }

    private let queue = DispatchQueue(label: "pushgate.results")
    private let state: State
    private let interruption = Interruption()

    init(_ configuration: PostgreSQLStoreConfiguration) {
        state = State(ConnectionSlot(configuration))
    }

    func run(_ body: @escaping @Sendable (Result<Connection, StoreError>) -> Void) {
        queue.async { [state, interruption] in
            guard !state.isClosed else { return body(.failure(.closed)) }
            do {
                let connection = try state.slot.ready().connection
                connection.interruption = interruption
                body(.success(connection))
            } catch {
                body(.failure(StoreError(wrapping: error)))
            }
        }
    }

    /// Ends the reading after the page under way, which is read within moments.
    func interrupt() { interruption.set() }

    static func beginReading(_ connection: Connection) throws {
        connection.interruption?.clear()
        // Between two pieces the server waits for the consumer, and holds up nobody.
        try connection.run(
            script: """
                BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '10min'
                """)
    }

    static func endReading(_ connection: Connection) {
        if connection.isAlive { try? connection.run(script: "ROLLBACK") }
    }

    func close() {
        queue.async { [state] in state.isClosed = true }
    }
}
