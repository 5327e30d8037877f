import DocumentStore
import Logging

/// The stored photos of tasks: a document and a file each.
struct TaskPhotos: Sendable {
    /// The result of storing photos.
    struct Kept: Sendable {
        let task: HumanTask
        /// All sent photos in their order, including those stored earlier.
        let photos: [TaskPhoto]
        /// The number of new photos.
        let added: Int
        /// The number of photos that exceeded the limit.
        let leftOut: Int
    }

    private let store: any DocumentStore
    private let files: any FileStorage
    private let tasks: TaskStore
    /// The maximum number of photos per task.
    private let maximum: Int
    private let unreadable: UnreadableDocuments
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// - Parameter maximum: The maximum number of photos per task.
    init(
        store: any DocumentStore, files: any FileStorage, tasks: TaskStore, atMost maximum: Int,
        unreadable: UnreadableDocuments, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.store = store
        self.files = files
        self.tasks = tasks
        self.maximum = maximum
        self.unreadable = unreadable
        self.now = now
        self.logger = logger
    }

    // MARK: Reading

    /// Returns the photos of a task, oldest first.
    func all(of task: HumanTask) async throws(StoreError) -> [TaskPhoto] {
        let query = Query.collection(try HumanTasksDocuments.photos(of: task.id))
            .ordered(by: FieldPath(TaskPhoto.Field.createdAt)).limited(to: 1_000)
        return unreadable.models(of: try await store.documents(matching: query)) { TaskPhoto($0, of: task.id) }
    }

    /// Returns a photo with its contents, or throws ``HumanTasksError/photoNotFound``.
    func photo(_ id: String, of task: HumanTask) async throws -> (photo: TaskPhoto, contents: StoredContents) {
        guard TaskPhoto.isWellFormed(id: id), let photo = try await stored([id], of: task.id)[id],
            let contents = try await StoredContents(of: photo.file, in: task.id, files)
        else { throw HumanTasksError.photoNotFound }
        return (photo, contents)
    }

    /// Returns the stored photos among these ids, by id.
    private func stored(_ ids: [String], of task: String) async throws(StoreError) -> [String: TaskPhoto] {
        let collection = try HumanTasksDocuments.photos(of: task)
        let paths = try ids.map { id throws(StoreError) in try collection.document(id) }
        let documents = try await store.documents(at: paths)
        let photos = documents.compactMap { $0.flatMap { TaskPhoto($0, of: task) } }
        return Dictionary(photos.map { ($0.id, $0) }) { first, _ in first }
    }

    // MARK: Storing

    /// Writes the files, then commits, so that every file named in a document is on disk. Photos that exist are
    /// neither written nor counted again, so a form that is sent twice is stored once.
    ///
    /// - Parameter isPartial: `true` to store as many photos as fit; otherwise all or none.
    func keep(_ pictures: [Picture], of task: HumanTask, isPartial: Bool = false) async throws -> Kept {
        let pictures = pictures.withoutRepetitions
        let ids = pictures.map(\.id)
        let known = try await stored(ids, of: task.id)
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
    ) async throws -> Kept {
        let collection = try HumanTasksDocuments.photos(of: id)
        let (task, kept) = try await tasks.change(id) { task -> TaskChange<(photos: [String: TaskPhoto], added: Int)> in
            try task.checkOpen(at: now())
            // Another request may have stored the same photos meanwhile, or reached the limit.
            var photos = try await stored(ids, of: id)
            let added = try fitting(written.filter { photos[$0.id] == nil }, in: task, isPartial)
            for photo in added { photos[photo.id] = photo }
            task.countPhotos(added.count, at: now())
            let writes = try added.map { Write.create(try collection.document($0.id), $0.fields) }
            return TaskChange(writes: writes, result: (photos, added.count))
        }
        return Kept(
            task: task, photos: ids.compactMap { kept.photos[$0] }, added: kept.added,
            leftOut: ids.count - kept.photos.count)
    }

    private func fitting<Item>(_ items: [Item], in task: HumanTask, _ isPartial: Bool) throws(HumanTasksError) -> [Item]
    {
        let room = max(0, maximum - task.photoCount)
        guard isPartial || items.count <= room else { throw .tooManyPhotos(maximum) }
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
