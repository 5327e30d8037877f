import DocumentStore
import Synchronization

/// Messages that replace older ones, which still wait for the same addresses.
///
/// The commit that accepts a message also marks the targets that it replaces, in the documents of their chunks. So an
/// older message is never sent after a newer one that a push service has accepted, whatever happens in between. An
/// attempt never changes the marks, and settles the targets without sending to them.
extension Dispatcher {
    /// Returns the targets that new chunks of a message replace.
    ///
    /// It reads the disk only if chunks with the same key may be there and not in memory: with several gateways always.
    ///
    /// - Parameters:
    ///   - isNew: `true` if the message is being accepted: everything else is older. Otherwise only what was accepted
    ///     before it is replaced.
    ///   - onDisk: the targets that wait on disk, as far as they were read for earlier chunks of the message.
    func replaced(
        by chunks: [Chunk], isNew: Bool, onDisk: inout WaitingTargets
    ) async throws(StoreError) -> ReplacedTargets {
        var replaced = ReplacedTargets()
        for chunk in chunks {
            let tokens = chunk.entries.compactMap { $0.target?.address.token }
            let later = isNew ? nil : chunk.id.message
            for key in chunk.replacedKeys {
                order.withLock { order in
                    for token in tokens { replaced.insert(order.places(in: .collapsible(key, token)), before: later) }
                }
                if membership != nil || state.withLock({ $0.mayBeOnDisk(key, in: chunk.lane) }) {
                    try await onDisk.read(key, in: store)
                }
                for token in tokens { replaced.insert(onDisk.places(of: token, key), before: later) }
            }
        }
        return replaced
    }

    /// Notes that the marks of replaced targets have been stored.
    func marked(_ replaced: ReplacedTargets) {
        guard !replaced.isEmpty else { return }
        state.withLock { state in
            for (chunk, indices) in replaced.chunks { state.marked(chunk.id, indices) }
        }
    }

    /// Removes the notifications of jobs from the order, because they go back to the disk.
    func leave(_ jobs: [ChunkJob]) {
        let handlers = order.withLock { order in
            jobs.flatMap { job in job.places.compactMap { order.remove($0.place, from: $0.line) } }
        }
        for handler in handlers { handler(true) }
    }

    func isHeldUp(_ lane: Lane) -> Bool {
        let time = now()
        return state.withLock { $0.isHeldUp(lane, at: time) }
    }
}

/// A function that goes on with a notification: `true` if its turn has come, `false` if a newer message has taken its
/// place.
typealias TurnHandler = @Sendable (Bool) -> Void

extension SendingOrder {
    /// Adds the notifications of a job. If it may not start yet, it only takes the places of those that it replaces.
    ///
    /// - Returns: the waiters of those.
    mutating func enter(_ job: ChunkJob, mayStart: Bool, isNew: Bool) -> [Waiter] {
        var waiters: [Waiter] = []
        if isNew {
            for key in job.chunk.withdrawnKeys {
                for token in job.chunk.entries.lazy.compactMap({ $0.target?.address.token }) {
                    waiters += supersede(.collapsible(key, token))
                }
            }
        }
        guard mayStart || isNew && job.chunk.collapseKey != nil else { return waiters }
        for (place, line) in job.places { waiters += mayStart ? add(place, to: line, isNew: isNew) : supersede(line) }
        return waiters
    }
}

/// The targets that a message replaces.
struct ReplacedTargets: Sendable {
    /// A chunk by the place of its document.
    struct ChunkPlace: Hashable, Sendable {
        let id: ChunkID
        let isInMessage: Bool
    }

    private(set) var chunks: [ChunkPlace: Set<Int>] = [:]

    var isEmpty: Bool { chunks.isEmpty }

    /// Adds targets.
    ///
    /// - Parameter message: the id of a message; later ones are left out. `nil` for all.
    mutating func insert(_ places: [NotificationPlace], before message: String?) {
        for place in places where message.map({ place.chunk.message < $0 }) ?? true {
            chunks[ChunkPlace(id: place.chunk, isInMessage: place.isInMessage), default: []].insert(place.index)
        }
    }

    /// The writes that mark the targets.
    var marks: [Write] {
        get throws(StoreError) {
            var writes: [Write] = []
            for (chunk, indices) in chunks {
                let path =
                    chunk.isInMessage
                    ? try OutboxDocuments.messagePath(chunk.id.message) : try OutboxDocuments.furtherChunkPath(chunk.id)
                let positions = indices.sorted().map { Value.integer(Int64($0)) }
                writes.append(
                    .update(
                        path, [:],
                        transforms: [FieldTransform(FieldPath(OutboxDocuments.superseded), .arrayUnion(positions))]))
            }
            return writes
        }
    }
}

/// The pending targets on disk by collapse key and token, read once for all chunks of a message.
struct WaitingTargets: Sendable {
    private var places: [CollapseKey: [RegistrationToken: [NotificationPlace]]] = [:]

    func places(of token: RegistrationToken, _ key: CollapseKey) -> [NotificationPlace] { places[key]?[token] ?? [] }

    mutating func read(_ key: CollapseKey, in store: any DocumentStore) async throws(StoreError) {
        guard places[key] == nil else { return }
        var waiting: [RegistrationToken: [NotificationPlace]] = [:]
        let results = try await store.results(of: OutboxDocuments.waiting(key))
        while let documents = try await results.next() {
            for chunk in documents.lazy.compactMap({ try? Chunk(document: $0) }) {
                for (index, entry) in chunk.entries.enumerated() where entry.state == .pending && !entry.isReplaced {
                    guard let token = entry.target?.address.token else { continue }
                    waiting[token, default: []].append(chunk.place(index))
                }
            }
        }
        places[key] = waiting
    }
}
