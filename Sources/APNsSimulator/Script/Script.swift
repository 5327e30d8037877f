import DequeModule

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
            (token: Optional($0.key), answers: $0.value.steps)
        }
        return answersForAll.isEmpty ? tokens : tokens + [(token: nil, answers: answersForAll.steps)]
    }
}

/// A step of a script. It applies a number of times before the next step.
protocol ScriptStep: Sendable {
    /// The number of times that the step applies; `nil` for all that follow.
    var count: Int? { get set }
}

extension ScriptedAnswer: ScriptStep {}
extension ConnectionScript: ScriptStep {}

/// A queue of steps.
struct StepQueue<Step: ScriptStep>: Sendable {
    private var queue = Deque<Step>()

    var isEmpty: Bool { queue.isEmpty }
    var steps: [Step] { Array(queue) }

    mutating func append(_ steps: [Step]) {
        queue.append(contentsOf: steps.filter { $0.count != 0 })
    }

    mutating func take() -> Step? {
        guard let step = queue.first else { return nil }
        switch step.count {
        case nil: break
        case let count? where count > 1: queue[queue.startIndex].count = count - 1
        default: queue.removeFirst()
        }
        return step
    }
}
