internal import DocumentStore
internal import HTTPTypes
internal import JSON
internal import Logging

/// Deleting tasks, with all that belongs to them.
extension HumanTasks {
    @Sendable func deleteHit(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        let hit = try await hit(of: request)
        guard hit.deviceID == device.id else { throw HumanTasksError.forbidden }
        guard try await delete(hit.id) else { throw HumanTasksError.hitNotFound }
        return FunctionResponse(body: ["deleted": true, "id": .string(hit.id)])
    }

    @Sendable func deleteHits(_ request: FunctionRequest) async throws -> FunctionResponse {
        let device = try await device(calling: request)
        let selection = try HitSelection(try await object(of: request))
        var deleted: [JSONValue] = []
        for id in try await ids(of: selection, device.id) where try await delete(id) { deleted.append(.string(id)) }
        return FunctionResponse(body: ["deleted": .integer(Int64(deleted.count)), "ids": .array(deleted)])
    }

    // MARK: Finding

    /// Returns the ids of the device's own tasks among those that are meant.
    private func ids(of selection: HitSelection, _ device: String) async throws -> [String] {
        switch selection {
        case .ids(let ids): try await ownIDs(ids, device)
        case .olderThan(let days, let status): try await oldIDs(days, status, device)
        }
    }

    private func ownIDs(_ ids: [String], _ device: String) async throws -> [String] {
        var seen: Set<String> = []
        let paths = try ids.filter { HitID.isWellFormed($0) && seen.insert($0).inserted }
            .map { try HumanTasksDocuments.hit($0) }
        return try await store.documents(at: paths).compactMap { $0.flatMap { Hit($0) } }
            .filter { $0.deviceID == device }.map(\.id)
    }

    /// The oldest come first, as many as one answer takes.
    private func oldIDs(_ days: Int64, _ status: Hit.Status?, _ device: String) async throws -> [String] {
        let time = now()
        var query = try hits(of: device, before: time.adding(.seconds(-days * 24 * 60 * 60)))
            .ordered(by: FieldPath(Hit.Field.place)).limited(to: Self.longestList)
        var ids: [String] = []
        while true {
            let documents = try await store.documents(matching: query)
            ids += unreadable.models(of: documents) { Hit($0) }
                .filter { status == nil || $0.status(at: time) == status }.map(\.id)
            guard ids.count < Self.longestList, documents.count == Self.longestList,
                let last = documents.last?[Hit.Field.place]
            else { return Array(ids.prefix(Self.longestList)) }
            query.start = Cursor([last], isAfter: true)
        }
    }

    // MARK: Deleting

    /// Deletes a task with its answers and photos in one commit, then the files. A process that ends in between leaves
    /// files that no document names, which the clean-up removes. The commit has deletes alone, so a full disk takes it.
    ///
    /// - Returns: `false` if the task is gone already.
    private func delete(_ id: String) async throws -> Bool {
        let path = try HumanTasksDocuments.hit(id)
        while let document = try await store.document(at: path) {
            if try await tryDelete(document) {
                await removeFiles(of: id)
                return true
            }
            try Task.checkCancellation()
        }
        return false
    }

    /// Answering and adding a photo change the task, so nothing below it is left out.
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

    /// The paths of a task's answers and photos.
    private func documents(below hit: String) async throws(StoreError) -> [DocumentPath] {
        var paths: [DocumentPath] = []
        for collection in [try HumanTasksDocuments.responses(to: hit), try HumanTasksDocuments.photos(of: hit)] {
            var query = Query.collection(collection)
            query.projection = []
            paths += try await store.documents(matching: query).map(\.path)
        }
        return paths
    }

    private func removeFiles(of hit: String) async {
        do {
            try await files.removeFolder(hit)
        } catch {
            logger.warning(
                "failed to remove the photos of a deleted task; the clean-up will", metadata: ["error": "\(error)"])
        }
    }
}
