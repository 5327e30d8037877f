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

    /// The steps that are left, and the number of times that each still applies; `nil` for all that follow.
    package var steps: [(step: Step, times: Int?)] { queue.map { ($0.step, $0.times) } }

    /// Appends a step, unless it never applies.
    ///
    /// - Parameter times: The number of times that the step applies; `nil` for all that follow.
    package mutating func append(_ step: Step, times: Int?) {
        if times != 0 { queue.append(Entry(step: step, times: times)) }
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
