import DocumentStore
import Logging

/// The result of storing photos.
struct KeptPhotos: Sendable {
    let task: HumanTask
    /// All sent photos in their order, including those stored earlier.
    let photos: [TaskPhoto]
    /// The number of new photos.
    let added: Int
    /// The number of photos that exceeded the limit.
    let leftOut: Int
}

/// The storage of photos.
extension HumanTasks {
    /// Writes the files, then commits, so that every file named in a document is on disk. Photos that exist are
    /// neither written nor counted again, so a form that is sent twice is stored once.
    ///
    /// - Parameter isPartial: `true` to store as many photos as fit; otherwise all or none.
    func store(_ pictures: [Picture], of task: HumanTask, isPartial: Bool = false) async throws -> KeptPhotos {
        let pictures = pictures.withoutRepetitions
        let ids = pictures.map(\.id)
        let known = try await storedPhotos(ids, of: task.id)
        let new = try fitting(pictures.filter { known[$0.id] == nil }, in: task, isPartial)
        let written = new.map { TaskPhoto(of: task.id, $0, at: now()) }
        do {
            for (photo, picture) in zip(written, new) {
                try await files.write(Array(picture.bytes), to: photo.file, in: task.id)
            }
            let kept = try await commit(written, among: ids, of: task.id, isPartial)
            let files = Set(kept.photos.map(\.file))
            await discard(written.filter { !files.contains($0.file) })
            return kept
        } catch {
            if !Self.mayBeCommitted(error) { await discard(written) }
            throw error
        }
    }

    /// - Parameter ids: The ids of all sent photos, in order.
    private func commit(
        _ written: [TaskPhoto], among ids: [String], of id: String, _ isPartial: Bool
    ) async throws -> KeptPhotos {
        let collection = try HumanTasksDocuments.photos(of: id)
        let (task, kept) = try await changing(id) { task -> Change<(photos: [String: TaskPhoto], added: Int)> in
            try task.checkOpen(at: now())
            // Another request may have stored the same photos meanwhile, or reached the limit.
            var photos = try await storedPhotos(ids, of: id)
            let added = try fitting(written.filter { photos[$0.id] == nil }, in: task, isPartial)
            for photo in added { photos[photo.id] = photo }
            task.photoCount += added.count
            task.startedAt = task.startedAt ?? now()
            let writes = try added.map { Write.create(try collection.document($0.id), $0.fields) }
            return Change(writes: writes, result: (photos, added.count))
        }
        return KeptPhotos(
            task: task, photos: ids.compactMap { kept.photos[$0] }, added: kept.added,
            leftOut: ids.count - kept.photos.count)
    }

    /// Returns the stored photos among these ids, by id.
    private func storedPhotos(_ ids: [String], of task: String) async throws(StoreError) -> [String: TaskPhoto] {
        let collection = try HumanTasksDocuments.photos(of: task)
        let paths = try ids.map { id throws(StoreError) in try collection.document(id) }
        let documents = try await store.documents(at: paths)
        let photos = documents.compactMap { $0.flatMap { TaskPhoto($0, of: task) } }
        return Dictionary(photos.map { ($0.id, $0) }) { first, _ in first }
    }

    private func fitting<Item>(_ items: [Item], in task: HumanTask, _ isPartial: Bool) throws(HumanTasksError) -> [Item]
    {
        let room = max(0, settings.maximumPhotos - task.photoCount)
        guard isPartial || items.count <= room else { throw .tooManyPhotos(settings.maximumPhotos) }
        return Array(items.prefix(room))
    }

    /// Returns `true` if the commit may have happened, because the wait for it was interrupted. The clean-up removes
    /// files without a document.
    private static func mayBeCommitted(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return error is CancellationError }
        return error.code == .cancelled || error.code == .unavailable
    }

    private func discard(_ photos: [TaskPhoto]) async {
        for photo in photos {
            do {
                try await files.remove(photo.file, in: photo.taskID)
            } catch {
                logger.warning("failed to remove a photo; the clean-up will remove it", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension [Picture] {
    fileprivate var withoutRepetitions: [Picture] {
        var ids: Set<String> = []
        return filter { ids.insert($0.id).inserted }
    }
}
