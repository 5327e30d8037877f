internal import DocumentStore
internal import Logging

/// What has become of photos that were sent.
struct KeptPhotos: Sendable {
    let hit: Hit
    /// In the order in which they came, those that were there before with them.
    let photos: [HitPhoto]
    /// How many of them are new.
    let added: Int
    /// How many there was no room for.
    let leftOut: Int
}

/// Storing photos.
extension HumanTasks {
    /// Writes the files, and then commits: what is in a document is on the disk. What is there already is not written or
    /// counted again: a form that is sent twice is stored once.
    ///
    /// - Parameter isPartial: takes as many as there is room for, not all or none.
    func store(_ pictures: [Picture], of hit: Hit, isPartial: Bool = false) async throws -> KeptPhotos {
        let pictures = pictures.withoutRepetitions
        let ids = pictures.map(\.id)
        let known = try await storedPhotos(ids, of: hit.id)
        let new = try fitting(pictures.filter { known[$0.id] == nil }, in: hit, isPartial)
        let written = new.map { HitPhoto(of: hit.id, $0, at: now()) }
        do {
            for (photo, picture) in zip(written, new) {
                try await files.write(Array(picture.bytes), to: photo.file, in: hit.id)
            }
            let kept = try await commit(written, among: ids, of: hit.id, isPartial)
            let files = Set(kept.photos.map(\.file))
            await discard(written.filter { !files.contains($0.file) })
            return kept
        } catch {
            if !Self.mayBeCommitted(error) { await discard(written) }
            throw error
        }
    }

    /// - Parameter ids: of all that were sent, in order.
    private func commit(
        _ written: [HitPhoto], among ids: [String], of id: String, _ isPartial: Bool
    ) async throws -> KeptPhotos {
        let collection = try HumanTasksDocuments.photos(of: id)
        let (hit, kept) = try await changing(id) { hit -> Change<(photos: [String: HitPhoto], added: Int)> in
            try hit.checkOpen(at: now())
            // Somebody else may have sent the same meanwhile, or taken the room.
            var photos = try await storedPhotos(ids, of: id)
            let added = try fitting(written.filter { photos[$0.id] == nil }, in: hit, isPartial)
            for photo in added { photos[photo.id] = photo }
            hit.photoCount += added.count
            hit.startedAt = hit.startedAt ?? now()
            let writes = try added.map { Write.create(try collection.document($0.id), $0.fields) }
            return Change(writes: writes, result: (photos, added.count))
        }
        return KeptPhotos(
            hit: hit, photos: ids.compactMap { kept.photos[$0] }, added: kept.added,
            leftOut: ids.count - kept.photos.count)
    }

    /// Those of a task's photos that are there, by id.
    private func storedPhotos(_ ids: [String], of hit: String) async throws -> [String: HitPhoto] {
        let collection = try HumanTasksDocuments.photos(of: hit)
        let documents = try await store.documents(at: try ids.map { try collection.document($0) })
        let photos = documents.compactMap { $0.flatMap { HitPhoto($0, of: hit) } }
        return Dictionary(photos.map { ($0.id, $0) }) { first, _ in first }
    }

    private func fitting<Item>(_ items: [Item], in hit: Hit, _ isPartial: Bool) throws(HumanTasksError) -> [Item] {
        let room = max(0, configuration.maximumPhotos - hit.photoCount)
        guard isPartial || items.count <= room else { throw .tooManyPhotos(configuration.maximumPhotos) }
        return Array(items.prefix(room))
    }

    /// A commit that was not waited for to its end may have happened; the clean-up sees to files without a document.
    private static func mayBeCommitted(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return error is CancellationError }
        return error.code == .cancelled || error.code == .unavailable
    }

    private func discard(_ photos: [HitPhoto]) async {
        for photo in photos {
            do {
                try await files.remove(photo.file, in: photo.hitID)
            } catch {
                logger.warning("a file is left for the clean-up", metadata: ["error": "\(error)"])
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
