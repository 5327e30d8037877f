/// What the simulator has been told to do: answers for single device tokens, and for all of them.
///
/// A value without I/O. The steps of a device token go first, then those for every token, then 200.
struct Script: Sendable {
    private var answersByToken: [String: StepQueue<ScriptedAnswer>] = [:]
    private var answersForAll = StepQueue<ScriptedAnswer>()

    var isEmpty: Bool { answersByToken.isEmpty && answersForAll.isEmpty }

    /// Appends steps for a device token, or for all when it is `nil`.
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

    /// Takes the answer for the next request to a device token; `nil` when nothing is scripted for it.
    mutating func takeAnswer(for token: String) -> ScriptedAnswer? {
        if let answer = answersByToken[token]?.take() {
            if answersByToken[token]?.isEmpty == true { answersByToken[token] = nil }
            return answer
        }
        return answersForAll.take()
    }

    /// What has still to be answered, for showing.
    var remaining: [(token: String?, answers: [ScriptedAnswer])] {
        let tokens = answersByToken.sorted { $0.key < $1.key }.map {
            (token: Optional($0.key), answers: $0.value.steps)
        }
        return answersForAll.isEmpty ? tokens : tokens + [(token: nil, answers: answersForAll.steps)]
    }
}
