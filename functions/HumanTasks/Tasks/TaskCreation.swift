import DocumentStore

/// The creation of tasks, under unused ids. A device creates a limited number of them.
struct TaskCreation: Sendable {
    private let store: any DocumentStore
    private let newTasks: FixedWindowLimiter
    private let lifetime: Duration
    private let makeID: @Sendable () -> String
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - newTasks: The limit of new tasks by device.
    ///   - lifetime: The time in which a task can be answered.
    ///   - makeID: Makes ids that cannot be guessed.
    init(
        store: any DocumentStore, newTasks: FixedWindowLimiter, lifetime: Duration,
        makeID: @escaping @Sendable () -> String, now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.newTasks = newTasks
        self.lifetime = lifetime
        self.makeID = makeID
        self.now = now
    }

    /// Stores the tasks of a request in one commit.
    func create(_ distribution: TaskDistribution, of device: String) async throws -> [HumanTask] {
        try distribution.check()
        if let seconds = newTasks.admit(device, count: distribution.count, at: now().seconds) {
            throw HumanTasksError.tooManyTasks(retryAfter: seconds)
        }
        let requests = distribution.requests { "grp_" + makeID() }
        while true {
            let time = now()
            let tasks = requests.map { HumanTask(id: makeID(), of: device, $0, at: time, lifetime: lifetime) }
            if try await tryCreate(tasks) { return tasks }
            try Task.checkCancellation()
        }
    }

    /// - Returns: `false` if an id is in use.
    private func tryCreate(_ tasks: [HumanTask]) async throws(StoreError) -> Bool {
        do {
            var writes: [Write] = []
            for task in tasks { writes.append(.create(try HumanTasksDocuments.task(task.id), task.fields)) }
            _ = try await store.commit(writes)
            return true
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return false
        }
    }
}
