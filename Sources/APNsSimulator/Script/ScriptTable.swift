import SimulatorTools
import Synchronization

/// The scripts that all connections share: answers for device tokens, and steps for connections.
final class ScriptTable: Sendable {
    private let script = Mutex(Script())
    private let connections = Mutex(StepQueue<ConnectionScript>())

    func takeAnswer(for token: String) -> ScriptedAnswer? {
        script.withLock { $0.isEmpty ? nil : $0.takeAnswer(for: token) }
    }

    func append(_ answers: [ScriptedAnswer], for token: String?) {
        script.withLock { $0.append(answers, for: token) }
    }

    func replace(with answers: [ScriptedAnswer], for token: String?) {
        script.withLock {
            $0.removeAnswers(for: token)
            $0.append(answers, for: token)
        }
    }

    func removeAllAnswers() {
        script.withLock { $0 = Script() }
    }

    func removeAnswers(for token: String?) {
        script.withLock { $0.removeAnswers(for: token) }
    }

    var remaining: [(token: String?, answers: [ScriptedAnswer])] { script.withLock { $0.remaining } }
}

extension ScriptTable {
    /// Takes the script for a newly accepted connection, or returns the script of a normal connection.
    func takeConnection() -> ConnectionScript {
        connections.withLock { $0.take() } ?? ConnectionScript()
    }

    func append(connections scripts: [ConnectionScript]) {
        connections.withLock { queue in
            for script in scripts { queue.append(script, times: script.count) }
        }
    }

    func replace(connections scripts: [ConnectionScript]) {
        connections.withLock { queue in
            queue = StepQueue()
            for script in scripts { queue.append(script, times: script.count) }
        }
    }

    /// The steps that have not been used yet, with the number of connections that each still applies to.
    var remainingConnections: [ConnectionScript] {
        connections.withLock(\.steps).map { step, times in
            var script = step
            script.count = times
            return script
        }
    }
}
