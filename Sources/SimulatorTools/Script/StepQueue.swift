import DequeModule

/// A queue of the steps of a script, each of which applies a number of times before the next step.
package struct StepQueue<Step: Sendable>: Sendable {
    /// A step, and the number of times that it still applies; `nil` for all that follow.
    private struct Entry {
        let step: Step
        var times: Int?
    }

    private var queue = Deque<Entry>()

    /// Creates a queue without steps.
    package init() {}

    /// `true` if no step is left.
    package var isEmpty: Bool { queue.isEmpty }

    /// Appends those of the steps that apply at all.
    ///
    /// - Parameter count: The number of times that a step applies; `nil` for all that follow.
    package mutating func append(_ steps: [Step], count: KeyPath<Step, Int?>) {
        for step in steps where step[keyPath: count] != 0 {
            queue.append(Entry(step: step, times: step[keyPath: count]))
        }
    }

    /// Returns the steps that are left, with the number of times that each still applies.
    ///
    /// - Parameter count: The number of times that a step applies; `nil` for all that follow.
    package func remaining(count: WritableKeyPath<Step, Int?>) -> [Step] {
        queue.map { entry in
            var step = entry.step
            step[keyPath: count] = entry.times
            return step
        }
    }

    /// Takes the step that applies next; `nil` if none is left.
    package mutating func take() -> Step? {
        guard let entry = queue.first else { return nil }
        switch entry.times {
        case nil: break
        case let times? where times > 1: queue[queue.startIndex].times = times - 1
        default: queue.removeFirst()
        }
        return entry.step
    }
}
