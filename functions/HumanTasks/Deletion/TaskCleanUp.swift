import DocumentStore

/// The scheduled clean-up, which removes tasks that ended long ago, all their data, and orphaned files.
struct TaskCleanUp: Sendable {
    private static let batch = 100

    private let store: any DocumentStore
    private let deletion: TaskDeletion
    private let orphans: OrphanedFiles
    private let retention: Duration
    private let now: @Sendable () -> Timestamp

    /// - Parameter retention: The time that a task is kept after it has ended.
    init(
        store: any DocumentStore, deletion: TaskDeletion, orphans: OrphanedFiles, retention: Duration,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.deletion = deletion
        self.orphans = orphans
        self.retention = retention
        self.now = now
    }

    /// Removes everything possible before it throws the failures, so that the job is soon retried.
    @Sendable func run() async throws {
        var failures = CleanUpFailures()
        try await removeOld(&failures)
        try await orphans.remove(&failures)
        try failures.check()
    }

    private func removeOld(_ failures: inout CleanUpFailures) async throws {
        let end = FieldPath(HumanTask.Field.endsAt)
        var query = Query.collection(try HumanTasksDocuments.tasks())
            .where(end, .lessThan, .timestamp(now().adding(.zero - retention)))
            .ordered(by: end).ordered(by: .documentName).limited(to: Self.batch)
        while true {
            let stale = try await store.documents(matching: query)
            for document in stale {
                do { try await deletion.deleteInSteps(document.path) } catch { try failures.note(error) }
            }
            guard stale.count == Self.batch, let last = stale.last, let time = last[HumanTask.Field.endsAt] else {
                return
            }
            query.start = Cursor([time, .reference(last.path.name(in: store.database))], isAfter: true)
        }
    }
}
