import DequeModule

/// A step of a script: it holds for a number of times, then the next one does.
protocol ScriptStep: Sendable {
    /// How often it holds; `nil` for all that follow.
    var count: Int? { get set }
}

extension ScriptedAnswer: ScriptStep {}
extension ConnectionScript: ScriptStep {}

/// Steps in the order in which they are used up.
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
