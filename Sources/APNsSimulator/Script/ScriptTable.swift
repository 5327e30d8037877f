import SimulatorTools
import Synchronization

/// The scripts that all connections share: answers for device tokens, and steps for connections.
final class ScriptTable: Sendable {
    let answers = AnswerScripts(Script())
    private let connections = Mutex(StepQueue<ConnectionScript>())

    /// Takes the script for a newly accepted connection, or returns the script of a normal connection.
    func takeConnection() -> ConnectionScript {
        connections.withLock { $0.take() } ?? ConnectionScript()
    }

    func append(connections scripts: [ConnectionScript]) {
        connections.withLock { $0.append(scripts, count: \.count) }
    }

    func replace(connections scripts: [ConnectionScript]) {
        connections.withLock { queue in
            queue = StepQueue()
            queue.append(scripts, count: \.count)
        }
    }

    /// The steps that have not been used yet, with the number of connections that each still applies to.
    var remainingConnections: [ConnectionScript] { connections.withLock { $0.remaining(count: \.count) } }
}
