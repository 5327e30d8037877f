import Synchronization

/// The script that all connections share.
final class ScriptTable: Sendable {
    private let script = Mutex(Script())

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

    func removeAll() {
        script.withLock { $0 = Script() }
    }

    func removeAnswers(for token: String?) {
        script.withLock { $0.removeAnswers(for: token) }
    }

    var remaining: [(token: String?, answers: [ScriptedAnswer])] { script.withLock { $0.remaining } }
}
