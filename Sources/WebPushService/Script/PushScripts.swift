import SimulatorTools
import Synchronization

/// Scripted answers for single endpoints and for all of them.
///
/// It is a value without I/O. The steps of an endpoint come first, then those for every endpoint, then 201.
struct PushScript: Sendable {
    private var answersByToken: [String: StepQueue<ScriptedPushAnswer>] = [:]
    private var answersForAll = StepQueue<ScriptedPushAnswer>()

    /// Appends steps for an endpoint, or for all of them if the token is `nil`.
    mutating func append(_ answers: [ScriptedPushAnswer], for token: String?) {
        for answer in answers {
            if let token {
                answersByToken[token, default: StepQueue()].append(answer, times: answer.count)
            } else {
                answersForAll.append(answer, times: answer.count)
            }
        }
    }

    mutating func removeAnswers(for token: String?) {
        if let token { answersByToken[token] = nil } else { answersForAll = StepQueue() }
    }

    /// Takes the answer for the next request to an endpoint; `nil` if no step is left for it.
    mutating func takeAnswer(for token: String) -> ScriptedPushAnswer? {
        if let answer = answersByToken[token]?.take() {
            if answersByToken[token]?.isEmpty == true { answersByToken[token] = nil }
            return answer
        }
        return answersForAll.take()
    }

    /// The steps that have not been used yet, sorted by token.
    var remaining: [(token: String?, answers: [ScriptedPushAnswer])] {
        var remaining: [(token: String?, answers: [ScriptedPushAnswer])] = []
        for (token, queue) in answersByToken.sorted(by: { $0.key < $1.key }) {
            remaining.append((token: token, answers: Self.answers(queue)))
        }
        if !answersForAll.isEmpty { remaining.append((token: nil, answers: Self.answers(answersForAll))) }
        return remaining
    }

    private static func answers(_ queue: StepQueue<ScriptedPushAnswer>) -> [ScriptedPushAnswer] {
        queue.steps.map { step, times in
            var answer = step
            answer.count = times
            return answer
        }
    }
}

/// The script that all connections share.
final class PushScripts: Sendable {
    private let script = Mutex(PushScript())

    func takeAnswer(for token: String) -> ScriptedPushAnswer? { script.withLock { $0.takeAnswer(for: token) } }

    func append(_ answers: [ScriptedPushAnswer], for token: String?) {
        script.withLock { $0.append(answers, for: token) }
    }

    func replace(with answers: [ScriptedPushAnswer], for token: String?) {
        script.withLock {
            $0.removeAnswers(for: token)
            $0.append(answers, for: token)
        }
    }

    func removeAllAnswers() { script.withLock { $0 = PushScript() } }

    func removeAnswers(for token: String?) { script.withLock { $0.removeAnswers(for: token) } }

    var remaining: [(token: String?, answers: [ScriptedPushAnswer])] { script.withLock { $0.remaining } }
}
