import DocumentStore

/// A search for older messages that new ones replace, because they still wait for the same addresses.
///
/// The commit that accepts a message also marks the targets that it replaces, in the documents of their chunks. So an
/// older message is never sent after a newer one that a push service has accepted, whatever happens in between; of
/// other gateways this holds for what they have on disk only. An attempt never changes the marks, and settles the
/// targets without sending to them. Chunks in this gateway's queues on disk that have nothing left to send are settled
/// right after that commit, so that a lane that is held up for long does not fill the disk with them, which each new
/// message would read.
struct Superseding: Sendable {
    private let context: DispatchContext

    init(_ context: DispatchContext) { self.context = context }

    /// Returns the targets that new chunks of a message replace.
    ///
    /// It reads the disk only if chunks with the same key may be there and not in memory: with several gateways always,
    /// unless no other gateway has any in the present period. The commit of the chunks has to be in that period then.
    ///
    /// - Parameters:
    ///   - isNew: `true` if the message is being accepted: everything else is older. Otherwise only what was accepted
    ///     before it is replaced, and the chunks' own targets are if something newer waits.
    ///   - period: the present period, or an earlier one; `nil` if the commit can be in any.
    ///   - onDisk: the targets that wait on disk, as far as they were read for earlier chunks of the message.
    func replaced(
        by chunks: [Chunk], isNew: Bool, in period: CommitPeriod? = nil, onDisk: inout WaitingTargets
    ) async throws(StoreError) -> ReplacedTargets {
        var replaced = ReplacedTargets()
        let isAlone = period != nil && context.periodAlone == period
        let hasOthers = context.membership != nil && !isAlone
        if isAlone { replaced.period = period }
        for chunk in chunks {
            if let key = chunk.collapseKey {
                try await add(chunk, key, isNew, hasOthers: hasOthers, &onDisk, to: &replaced)
            }
            for key in chunk.withdrawnKeys {
                try await add(chunk, key, isNew, hasOthers: hasOthers, &onDisk, to: &replaced)
            }
        }
        replaced.emptied = onDisk.takeEmptied(by: replaced)
        return replaced
    }

    private func add(
        _ chunk: Chunk, _ key: CollapseKey, _ isNew: Bool, hasOthers: Bool, _ onDisk: inout WaitingTargets,
        to replaced: inout ReplacedTargets
    ) async throws(StoreError) {
        let mayBeOnDisk = context.lanes.addReplaced(by: chunk, key, isNew: isNew, to: &replaced)
        guard mayBeOnDisk || hasOthers else { return }
        try await onDisk.read(key, in: context.store, context.queue)
        for (index, token) in chunk.positionsAndTokens {
            replaced.insert(onDisk.places(of: token, key), of: chunk.id, index, isNew: isNew)
        }
    }
}

extension Chunk {
    /// The positions and the tokens of the pending targets, by which messages replace each other.
    var positionsAndTokens: some Sequence<(Int, RegistrationToken)> {
        entries.enumerated().lazy.compactMap { index, entry in entry.target.map { (index, lineToken(of: $0)) } }
    }
}

/// A function that goes on with a notification: `true` if its turn has come, `false` if a newer message has taken its
/// place.
typealias TurnHandler = @Sendable (Bool) -> Void

extension SendingOrder {
    /// Adds the notifications of a job. If it may not start yet, it only takes the places of those that it replaces.
    ///
    /// - Parameter isNew: `true` for a chunk that has just been committed, `false` for one that was read from disk.
    /// - Returns: the waiters of those.
    mutating func enter(_ job: ChunkJob, mayStart: Bool, isNew: Bool) -> [Waiter] {
        var waiters: [Waiter] = []
        let isNewest = isNew && !job.mayBeOvertaken
        let limit = isNewest ? nil : job.chunk.id.message
        if isNew {
            for key in job.chunk.withdrawnKeys {
                for (_, token) in job.chunk.positionsAndTokens {
                    waiters += supersede(.collapsible(key, token), before: limit)
                }
            }
        }
        guard mayStart || isNew && job.chunk.collapseKey != nil else { return waiters }
        job.forEachPlace { place, line in
            waiters += mayStart ? add(place, to: line, isNew: isNewest) : supersede(line, before: limit)
        }
        return waiters
    }
}

extension SendingOrder {
    /// Removes the notifications of jobs that go back to the disk, or are settled without being sent.
    ///
    /// - Returns: the waiters of those whose turn has come.
    mutating func leave(_ jobs: [ChunkJob]) -> [Waiter] {
        var waiters: [Waiter] = []
        for job in jobs {
            job.forEachPlace { place, line in
                if let waiter = remove(place, from: line) { waiters.append(waiter) }
            }
        }
        return waiters
    }
}

/// The targets that a message replaces.
struct ReplacedTargets: Sendable {
    /// A chunk by the place of its document.
    struct ChunkPlace: Hashable, Sendable {
        let id: ChunkID
        let isInMessage: Bool

        var path: DocumentPath {
            get throws(StoreError) {
                isInMessage
                    ? try OutboxDocuments.messagePath(id.message) : try OutboxDocuments.furtherChunkPath(id)
            }
        }
    }

    private(set) var chunks: [ChunkPlace: Set<Int>] = [:]
    /// The targets of the message itself that newer messages replace.
    private(set) var overtaken: [ChunkID: Set<Int>] = [:]
    /// The chunks in this gateway's queues on disk that have nothing left to send, with their lanes. Some may have been
    /// replaced by earlier messages.
    fileprivate(set) var emptied: [ChunkPlace: Lane] = [:]

    /// The period in which these are all; `nil` for any.
    fileprivate(set) var period: CommitPeriod?

    /// The same without any targets.
    var withoutTargets: ReplacedTargets {
        var none = ReplacedTargets()
        none.period = period
        return none
    }

    /// `true` if it replaces no other message.
    var isEmpty: Bool { chunks.isEmpty }

    /// Adds targets.
    mutating func insert(_ places: [NotificationPlace]) {
        for place in places {
            chunks[ChunkPlace(id: place.chunk, isInMessage: place.isInMessage), default: []].insert(place.index)
        }
    }

    /// Adds the targets in the line of one of the message's own targets, or that one if there is a newer message.
    ///
    /// - Parameters:
    ///   - chunk: the chunk with the message's own target at the position `index`.
    ///   - isNew: `true` if all others are older.
    mutating func insert(_ places: [NotificationPlace], of chunk: ChunkID, _ index: Int, isNew: Bool) {
        // The ids of messages are in the order of their acceptance.
        insert(places.filter { isNew || $0.chunk.message < chunk.message })
        guard !isNew, places.contains(where: { $0.chunk.message > chunk.message }) else { return }
        overtaken[chunk, default: []].insert(index)
    }

    /// The writes that mark the targets.
    var marks: [Write] {
        get throws(StoreError) {
            var writes: [Write] = []
            for (chunk, indices) in chunks {
                let positions = indices.sorted().map { Value.integer(Int64($0)) }
                writes.append(
                    .update(
                        try chunk.path, [:],
                        transforms: [FieldTransform(FieldPath(OutboxDocuments.superseded), .arrayUnion(positions))]))
            }
            return writes
        }
    }
}

/// The pending targets on disk by collapse key and token, read once for all chunks of a message.
struct WaitingTargets: Sendable {
    private var places: [CollapseKey: [RegistrationToken: [NotificationPlace]]] = [:]
    /// The chunks in this gateway's queues, with their lanes and the numbers of targets that are not replaced.
    private var queued: [ReplacedTargets.ChunkPlace: (lane: Lane, count: Int)] = [:]

    func places(of token: RegistrationToken, _ key: CollapseKey) -> [NotificationPlace] { places[key]?[token] ?? [] }

    /// Removes and returns the chunks in this gateway's queues that have nothing left to send once targets are replaced
    /// besides those of earlier chunks of the message.
    mutating func takeEmptied(by replaced: ReplacedTargets) -> [ReplacedTargets.ChunkPlace: Lane] {
        guard !queued.isEmpty else { return [:] }
        for (chunk, indices) in replaced.chunks { queued[chunk]?.count -= indices.count }
        let emptied = queued.filter { $0.value.count <= 0 }.mapValues(\.lane)
        for chunk in emptied.keys { queued[chunk] = nil }
        return emptied
    }

    mutating func read(_ key: CollapseKey, in store: any DocumentStore, _ queue: QueueKey) async throws(StoreError) {
        guard places[key] == nil else { return }
        var waiting: [RegistrationToken: [NotificationPlace]] = [:]
        let results = try await store.results(of: OutboxDocuments.waiting(key))
        while let documents = try await results.next() {
            for document in documents {
                guard let chunk = try? Chunk(document: document) else { continue }
                var count = 0
                for (index, entry) in chunk.entries.enumerated() where entry.state == .pending && !entry.isReplaced {
                    guard let token = entry.target.map(chunk.lineToken) else { continue }
                    waiting[token, default: []].append(chunk.place(index))
                    count += 1
                }
                guard let lane = document[OutboxDocuments.queue]?.string.flatMap(queue.lane(of:)) else { continue }
                queued[ReplacedTargets.ChunkPlace(id: chunk.id, isInMessage: chunk.isInMessage)] = (lane, count)
            }
        }
        places[key] = waiting
    }
}
