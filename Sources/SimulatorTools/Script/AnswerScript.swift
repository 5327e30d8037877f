import Synchronization

/// Scripted answers for single tokens and for all of them.
///
/// It is a value without I/O. The steps of a token come first, then those for every token.
package struct AnswerScript<Answer: Sendable>: Sendable {
    private let count: any WritableKeyPath<Answer, Int?> & Sendable
    private let lowercasesTokens: Bool
    private var answersByToken: [String: StepQueue<Answer>] = [:]
    private var answersForAll = StepQueue<Answer>()

    /// Creates a script without steps.
    ///
    /// - Parameters:
    ///   - count: The number of requests that get an answer; `nil` for all that follow.
    ///   - lowercasesTokens: `true` if requests have their tokens in lower case.
    package init(count: any WritableKeyPath<Answer, Int?> & Sendable, lowercasesTokens: Bool) {
        self.count = count
        self.lowercasesTokens = lowercasesTokens
    }

    package var isEmpty: Bool { answersByToken.isEmpty && answersForAll.isEmpty }

    /// Appends steps for a token, or for all tokens if it is `nil`.
    package mutating func append(_ answers: [Answer], for token: String?) {
        guard let token else { return answersForAll.append(answers, count: count) }
        let key = stored(token)
        var queue = answersByToken[key] ?? StepQueue()
        queue.append(answers, count: count)
        answersByToken[key] = queue.isEmpty ? nil : queue
    }

    /// Removes the steps for a token, or those for all tokens if it is `nil`.
    package mutating func removeAnswers(for token: String?) {
        if let token { answersByToken[stored(token)] = nil } else { answersForAll = StepQueue() }
    }

    package mutating func removeAllAnswers() {
        answersByToken = [:]
        answersForAll = StepQueue()
    }

    /// Takes the answer for the next request with a token; `nil` if no step is left for it.
    package mutating func takeAnswer(for token: String) -> Answer? {
        if let answer = answersByToken[token]?.take() {
            if answersByToken[token]?.isEmpty == true { answersByToken[token] = nil }
            return answer
        }
        return answersForAll.take()
    }

    /// The steps that have not been used yet, sorted by token, with the number of requests that each still applies to.
    package var remaining: [(token: String?, answers: [Answer])] {
        let tokens = answersByToken.sorted { $0.key < $1.key }.map { token, queue in
            (token: Optional(token), answers: queue.remaining(count: count))
        }
        return answersForAll.isEmpty ? tokens : tokens + [(token: nil, answers: answersForAll.remaining(count: count))]
    }

    private func stored(_ token: String) -> String { lowercasesTokens ? token.lowercased() : token }
}

/// The scripted answers that all connections share.
package final class AnswerScripts<Answer: Sendable>: Sendable {
    private let script: Mutex<AnswerScript<Answer>>

    package init(_ script: AnswerScript<Answer>) {
        self.script = Mutex(script)
    }

    /// Takes the answer for the next request with a token; `nil` if no step is left for it.
    package func takeAnswer(for token: String) -> Answer? {
        script.withLock { $0.isEmpty ? nil : $0.takeAnswer(for: token) }
    }

    /// Appends steps for a token, or for all tokens if it is `nil`.
    package func append(_ answers: [Answer], for token: String?) {
        script.withLock { $0.append(answers, for: token) }
    }

    /// Replaces the steps for a token, or those for all tokens if it is `nil`.
    package func replace(with answers: [Answer], for token: String?) {
        script.withLock {
            $0.removeAnswers(for: token)
            $0.append(answers, for: token)
        }
    }

    /// Removes the steps for a token, or those for all tokens if it is `nil`.
    package func removeAnswers(for token: String?) { script.withLock { $0.removeAnswers(for: token) } }

    package func removeAllAnswers() { script.withLock { $0.removeAllAnswers() } }

    /// The steps that have not been used yet, sorted by token.
    package var remaining: [(token: String?, answers: [Answer])] { script.withLock { $0.remaining } }
}
