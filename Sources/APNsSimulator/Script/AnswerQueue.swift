import DequeModule

/// Steps in the order in which they are used up.
struct AnswerQueue: Sendable {
    private var queue = Deque<ScriptedAnswer>()

    var isEmpty: Bool { queue.isEmpty }
    var steps: [ScriptedAnswer] { Array(queue) }

    mutating func append(_ answers: [ScriptedAnswer]) {
        queue.append(contentsOf: answers.filter { $0.count != 0 })
    }

    mutating func take() -> ScriptedAnswer? {
        guard let step = queue.first else { return nil }
        switch step.count {
        case nil: break
        case let count? where count > 1: queue[queue.startIndex].count = count - 1
        default: queue.removeFirst()
        }
        return step
    }
}
