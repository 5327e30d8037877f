import DocumentStore

/// The lists of each device's tasks, in the order of their creation.
struct TaskLists: Sendable {
    /// The maximum number of tasks in a list.
    static let longest = 50
    private static let place = FieldPath(HumanTask.Field.place)

    private let store: any DocumentStore
    private let unreadable: UnreadableDocuments
    private let now: @Sendable () -> Timestamp

    init(store: any DocumentStore, unreadable: UnreadableDocuments, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.unreadable = unreadable
        self.now = now
    }

    /// Returns a device's last tasks, newest first.
    ///
    /// - Parameter group: The group id of the tasks; `nil` for all tasks.
    func latest(of device: String, group: String?) async throws(StoreError) -> [HumanTask] {
        var query = try query(device).ordered(by: Self.place, .descending).limited(to: Self.longest)
        if let group { query = query.where(FieldPath(TaskRequest.groupIDField), .equal, .string(group)) }
        return unreadable.models(of: try await store.documents(matching: query)) { HumanTask($0) }
    }

    /// Returns the ids of the device's own tasks in the selection.
    func ids(of selection: TaskSelection, _ device: String) async throws(StoreError) -> [String] {
        switch selection {
        case .ids(let ids): try await ownIDs(ids, device)
        case .olderThan(let days, let status): try await oldIDs(days, status, device)
        }
    }

    private func ownIDs(_ ids: [String], _ device: String) async throws(StoreError) -> [String] {
        var seen: Set<String> = []
        let paths = try ids.filter { TaskID.isWellFormed($0) && seen.insert($0).inserted }
            .map { id throws(StoreError) in try HumanTasksDocuments.task(id) }
        return try await store.documents(at: paths).compactMap { $0.flatMap { HumanTask($0) } }
            .filter { $0.deviceID == device }.map(\.id)
    }

    /// Returns the ids of old tasks, oldest first.
    private func oldIDs(
        _ days: Int64, _ status: HumanTask.Status?, _ device: String
    ) async throws(StoreError) -> [String] {
        let time = now()
        var query = try query(device, before: time.adding(.seconds(-days * 24 * 60 * 60)))
            .ordered(by: Self.place).limited(to: Self.longest)
        var ids: [String] = []
        while true {
            let documents = try await store.documents(matching: query)
            ids += unreadable.models(of: documents) { HumanTask($0) }
                .filter { task in status.map { task.matches($0, at: time) } ?? true }.map(\.id)
            guard ids.count < Self.longest, documents.count == Self.longest,
                let last = documents.last?[HumanTask.Field.place]
            else { return Array(ids.prefix(Self.longest)) }
            query.start = Cursor([last], isAfter: true)
        }
    }

    /// Returns a query for the tasks of a device, created before the given time if there is one.
    private func query(_ device: String, before time: Timestamp? = nil) throws(StoreError) -> Query {
        // The places of a device begin with its id and "/"; the next character after "/" is "0".
        let end = time.map { "\(device)/\($0)" } ?? device + "0"
        return Query.collection(try HumanTasksDocuments.tasks())
            .where(Self.place, .greaterThan, .string(device + "/")).where(Self.place, .lessThan, .string(end))
    }
}
