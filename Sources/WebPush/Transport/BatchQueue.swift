/// Elements that a few tasks take in batches, without I/O.
struct BatchQueue<Element: Sendable>: Sendable {
    private let maximumTasks: Int
    private let batchSize: Int
    private var elements: [Element] = []
    /// The number of elements that were taken, at the beginning.
    private var taken = 0
    private var tasks = 0

    /// - Parameters:
    ///   - maximumTasks: The number of tasks that take elements at the same time.
    ///   - batchSize: The number of elements that one takes at once.
    init(maximumTasks: Int, batchSize: Int) {
        self.maximumTasks = maximumTasks
        self.batchSize = batchSize
    }

    /// Adds an element.
    ///
    /// - Returns: `true` if the caller is to begin one more task.
    mutating func add(_ element: Element) -> Bool {
        elements.append(element)
        guard tasks < maximumTasks else { return false }
        tasks += 1
        return true
    }

    /// Takes the next elements for a task. If there are none, the task has to end.
    mutating func take() -> [Element] {
        let batch = Array(elements[taken...].prefix(batchSize))
        taken += batch.count
        if taken == elements.count { (elements, taken) = ([], 0) }
        if batch.isEmpty { tasks -= 1 }
        return batch
    }
}
