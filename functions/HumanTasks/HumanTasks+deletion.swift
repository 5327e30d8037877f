import DocumentStore
import HTTPTypes
import JSON
import Logging

/// The deletion of tasks with all their data.
extension HumanTasks {
    @Sendable func deleteTask(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        let task = try await task(of: request)
        guard task.deviceID == device.id else { throw HumanTasksError.forbidden }
        guard try await delete(task.id) else { throw HumanTasksError.taskNotFound }
        return FunctionResponse(body: ["deleted": true, "id": .string(task.id)])
    }

    @Sendable func deleteTasks(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        let selection = try TaskSelection(try await request.jsonObject(limit: Self.maximumBodyBytes))
        var deleted: [JSONValue] = []
        for id in try await ids(of: selection, device.id) where try await delete(id) { deleted.append(.string(id)) }
        return FunctionResponse(body: ["deleted": .integer(Int64(deleted.count)), "ids": .array(deleted)])
    }

    // MARK: Finding

    /// Returns the ids of the device's own tasks in the selection.
    private func ids(of selection: TaskSelection, _ device: String) async throws(StoreError) -> [String] {
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

    /// Returns the ids of old tasks, oldest first, up to the limit of one response.
    private func oldIDs(
        _ days: Int64, _ status: HumanTask.Status?, _ device: String
    ) async throws(StoreError) -> [String] {
        let time = now()
        var query = try tasks(of: device, before: time.adding(.seconds(-days * 24 * 60 * 60)))
            .ordered(by: FieldPath(HumanTask.Field.place)).limited(to: Self.longestList)
        var ids: [String] = []
        while true {
            let documents = try await store.documents(matching: query)
            ids += unreadable.models(of: documents) { HumanTask($0) }
                .filter { task in status.map { task.matches($0, at: time) } ?? true }.map(\.id)
            guard ids.count < Self.longestList, documents.count == Self.longestList,
                let last = documents.last?[HumanTask.Field.place]
            else { return Array(ids.prefix(Self.longestList)) }
            query.start = Cursor([last], isAfter: true)
        }
    }

    // MARK: Deleting

    /// Deletes a task with its answers and photos in one commit, then the files. If the process ends between the two,
    /// the clean-up removes the orphaned files. The commit only deletes, so it succeeds on a full disk.
    ///
    /// - Returns: `false` if the task does not exist.
    private func delete(_ id: String) async throws -> Bool {
        let path = try HumanTasksDocuments.task(id)
        while let document = try await store.document(at: path) {
            if try await tryDelete(document) {
                await removeFiles(of: id)
                return true
            }
            try Task.checkCancellation()
        }
        return false
    }

    /// Deletes a task with its answers and photos. New answers and photos change the task, so the commit misses none
    /// of them.
    ///
    /// - Returns: `false` if the task has changed since it was read.
    private func tryDelete(_ task: Document) async throws(StoreError) -> Bool {
        var writes = [Write.delete(task.path, precondition: .updateTime(task.updateTime))]
        for path in try await documents(below: task.path.id) { writes.append(.delete(path)) }
        do {
            _ = try await store.commit(writes)
            return true
        } catch {
            guard error.code == .failedPrecondition else { throw error }
            return false
        }
    }

    /// Returns the paths of a task's answers and photos.
    private func documents(below task: String) async throws(StoreError) -> [DocumentPath] {
        var paths: [DocumentPath] = []
        for collection in [try HumanTasksDocuments.responses(to: task), try HumanTasksDocuments.photos(of: task)] {
            var query = Query.collection(collection)
            query.projection = []
            paths += try await store.documents(matching: query).map(\.path)
        }
        return paths
    }

    private func removeFiles(of task: String) async {
        do {
            try await files.removeFolder(task)
        } catch {
            logger.warning(
                "failed to remove the photos of a deleted task; the clean-up will remove them",
                metadata: ["error": "\(error)"])
        }
    }
}

/// The tasks that a bulk deletion removes.
enum TaskSelection: Sendable {
    case ids([String])
    /// Tasks created at least that many days ago, with any status or with the given one, now or when they expired.
    case olderThan(days: Int64, HumanTask.Status?)

    init(_ object: JSONObject) throws(FieldIssues) {
        var fields = CheckedFields(object)
        let ids = fields.optionalTexts("ids", atMost: HumanTasks.longestList, 1...100)
        let days = fields.optionalInteger("older_than_days", 1...365)
        let status = fields.optionalChoice("status", of: HumanTask.Status.allCases)
        if ids?.isEmpty == true { fields.report("ids", "must have at least 1 element") }
        if fields.issues.isEmpty, ids == nil, days == nil { fields.report(nil, "must have ids or older_than_days") }
        try fields.check()
        self = ids.map(Self.ids) ?? .olderThan(days: days ?? 0, status)
    }
}
