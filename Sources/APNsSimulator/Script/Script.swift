import SimulatorTools

/// Scripted answers for single device tokens and for all of them.
///
/// It is a value without I/O. The steps of a device token come first, then those for every token, then 200.
struct Script: Sendable {
    private var answersByToken: [String: StepQueue<ScriptedAnswer>] = [:]
    private var answersForAll = StepQueue<ScriptedAnswer>()

    var isEmpty: Bool { answersByToken.isEmpty && answersForAll.isEmpty }

    /// Appends steps for a device token, or for all tokens if it is `nil`.
    mutating func append(_ answers: [ScriptedAnswer], for token: String?) {
        if let token {
            answersByToken[token.lowercased(), default: StepQueue()].append(answers)
        } else {
            answersForAll.append(answers)
        }
    }

    mutating func removeAnswers(for token: String?) {
        if let token { answersByToken[token.lowercased()] = nil } else { answersForAll = StepQueue() }
    }

    /// Takes the answer for the next request to a device token; `nil` if no step is left for it.
    mutating func takeAnswer(for token: String) -> ScriptedAnswer? {
        if let answer = answersByToken[token]?.take() {
            if answersByToken[token]?.isEmpty == true { answersByToken[token] = nil }
            return answer
        }
        return answersForAll.take()
    }

    /// The steps that have not been used yet, sorted by token.
    var remaining: [(token: String?, answers: [ScriptedAnswer])] {
        let tokens = answersByToken.sorted { $0.key < $1.key }.map {
            (token: Optional($0.key), answers: $0.value.answers)
        }
        return answersForAll.isEmpty ? tokens : tokens + [(token: nil, answers: answersForAll.answers)]
    }
}

extension StepQueue<ScriptedAnswer> {
    /// The answers that are left, with the number of times that each still applies.
    fileprivate var answers: [ScriptedAnswer] {
        steps.map { step, times in
            var answer = step
            answer.count = times
            return answer
        }
    }

    fileprivate mutating func append(_ answers: [ScriptedAnswer]) {
        for answer in answers { append(answer, times: answer.count) }
    }
}
