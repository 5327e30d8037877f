import DocumentStore
import Logging
import Synchronization

/// The processing of one page of a broadcast, and the end of a broadcast.
extension Broadcaster {
    /// Processes the next page of a broadcast.
    ///
    /// - Parameter time: the time of the commit that accepted the message.
    /// - Returns: `false` if the message's document is missing or cannot be read.
    func advance(_ broadcast: Broadcast, acceptedAt time: Timestamp) async throws(StoreError) -> Bool {
        guard var course = try await takeCourse(of: broadcast) else { return false }
        var page = RecipientPage()
        do throws(StoreError) {
            guard course.message.expiresAt > outbox.now() else {
                try await expire(broadcast, course)
                return true
            }
            page = try await self.page(of: broadcast, acceptedAt: time, &course)
            var next = broadcast
            // The first page waits at the place of the message's acceptance.
            let dueAt = broadcast.chunkCount == 0 ? course.message.acceptedAt : outbox.now()
            let chunks = next.append(page.targets, through: page.last, at: dueAt)
            let progress = page.last == nil ? try end(next, course.message) : [.set(try next.path, next.fields)]
            try await outbox.commit(
                chunks, of: course.message, alongside: progress, delivery: course.delivery, onDisk: &course.onDisk)
            if page.last == nil { end(course) } else { keep(course) }
        } catch {
            // The page will be read again.
            course.selection?.takeBack(page.targets, of: page.count)
            keep(course)
            throw error
        }
        try await RegistrationStore(store: store).removeVoid(page.voidSubscriptions)
        return true
    }

    // MARK: Courses

    /// Adds a broadcast of an earlier process or of another gateway.
    func add(_ document: Document) async {
        // Its turn reports an error.
        guard let broadcast = try? Broadcast(document: document),
            let course = try? await takeCourse(of: broadcast)
        else { return }
        keep(course)
    }

    /// Returns the state of a broadcast, or `nil` if its message is missing or cannot be read.
    private func takeCourse(of broadcast: Broadcast) async throws(StoreError) -> Course? {
        if let course = courses.withLock({ $0.removeValue(forKey: broadcast.messageID) }) { return course }
        let path = try OutboxDocuments.messagePath(broadcast.messageID)
        guard let document = try await store.document(at: path), let message = try? AcceptedMessage(document: document)
        else { return nil }
        outbox.acceptanceOrder.begin(message)
        return Course(message: message)
    }

    private func end(_ course: Course) {
        outbox.acceptanceOrder.end(course.message.id)
        course.end()
    }

    private func keep(_ course: Course) { courses.withLock { $0[course.message.id] = course } }

    // MARK: Pages

    private func page(
        of broadcast: Broadcast, acceptedAt time: Timestamp, _ course: inout Course
    ) async throws(StoreError) -> RecipientPage {
        switch broadcast.recipients {
        case .condition(let condition): return try await reader.page(of: condition, after: broadcast.after)
        case .audience(let audience):
            let registrations = try await registrations(audience, after: broadcast.after)
            let accepted = registrations.accepted(by: time)
            var selection =
                if let kept = course.selection.take() { kept } else {
                    try await selection(audience, of: broadcast, course.message, time)
                }
            let targets = selection.targets(of: accepted)
            course.selection = selection
            return RecipientPage(targets: targets, count: accepted.count, last: registrations.nextStart)
        }
    }

    /// Reads the registrations that an earlier process sent to, so that their tokens are not sent to again.
    private func selection(
        _ audience: Audience, of broadcast: Broadcast, _ message: AcceptedMessage, _ time: Timestamp
    ) async throws(StoreError) -> TargetSelection {
        var selection = TargetSelection(audience, message.registrationFields)
        var last: String?
        while let end = broadcast.after, last != end {
            let registrations = try await registrations(audience, after: last, through: end)
            _ = selection.targets(of: registrations.accepted(by: time))
            last = registrations.nextStart ?? end
        }
        return selection
    }

    private func registrations(
        _ audience: Audience, after last: String?, through end: String? = nil
    ) async throws(StoreError) -> [Document] {
        var query = Query.collection(audience.registrations).ordered(by: .documentName).limited(to: Audience.pageSize)
        if let last { query.start = try cursor(audience, last) }
        if let end { query.end = try cursor(audience, end) }
        return try await store.documents(matching: query)
    }

    private func cursor(_ audience: Audience, _ id: String) throws(StoreError) -> Cursor {
        Cursor([.reference(try audience.registrations.document(id).name(in: store.database))], isAfter: true)
    }

    // MARK: Ends

    private func expire(_ broadcast: Broadcast, _ course: Course) async throws(StoreError) {
        // A commit that only deletes and updates is possible on a full disk.
        _ = try await store.commit(try end(broadcast, course.message))
        end(course)
        logger.notice(
            "stopped a broadcast that expired before its whole audience was read",
            metadata: ["message": "\(broadcast.messageID)", "targets": "\(broadcast.targetCount)"])
    }

    /// Returns the writes that set the final counts of the message. A message without recipients gets a chunk without
    /// targets, so that it is deleted after its maximum age like all messages.
    private func end(_ broadcast: Broadcast, _ message: AcceptedMessage) throws(StoreError) -> [Write] {
        logger.debug(
            "cut a broadcast into chunks",
            metadata: ["message": "\(broadcast.messageID)", "targets": "\(broadcast.targetCount)"])
        var writes: [Write] = [
            .delete(try broadcast.path),
            .update(
                try OutboxDocuments.messagePath(broadcast.messageID),
                [
                    "targetCount": .integer(Int64(broadcast.targetCount)),
                    "chunkCount": .integer(Int64(broadcast.chunkCount)),
                ]),
        ]
        if broadcast.chunkCount == 0 {
            let now = outbox.now()
            let empty = Chunk(
                id: ChunkID(message: broadcast.messageID, number: 0), isInMessage: false,
                lane: Lane(transport: .emulated), entries: [], attempts: 0, dueAt: now)
            writes.append(.create(try empty.path(of: message), empty.settledFields(at: now, of: message)))
        }
        return writes
    }

    /// Ends a broadcast that can never continue. Its existing chunks are sent. Without any chunk its message is
    /// deleted too, because nothing else would delete it.
    ///
    /// - Parameter document: the broadcast's document.
    func giveUp(_ document: Document, because reason: String) async throws(StoreError) {
        let message = try OutboxDocuments.messagePath(document.path.id)
        let chunkCount = try await store.count(try OutboxDocuments.furtherChunks(of: message))
        logger.error(
            "giving up a broadcast that cannot reach its whole audience",
            metadata: ["message": "\(message.id)", "chunks": "\(chunkCount)", "reason": "\(reason)"])
        var writes: [Write] = [.delete(document.path)]
        if chunkCount == 0 {
            writes.append(.delete(message))
        } else if (try? await store.document(at: message)) != nil {
            var counts: Fields = ["chunkCount": .integer(Int64(chunkCount))]
            counts["targetCount"] = document["targetCount"]
            writes.append(.update(message, counts))
        }
        _ = try await store.commit(writes)
        outbox.acceptanceOrder.end(message.id)
        courses.withLock { $0.removeValue(forKey: message.id) }?.end()
    }
}

extension Course {
    /// Completes the delivery. Call it when there are no more targets.
    fileprivate func end() { delivery?.completed(excluded: selection?.excluded ?? 0) }
}

extension [Document] {
    /// Returns the registrations that existed at a time, possibly with another token.
    fileprivate func accepted(by time: Timestamp) -> [Document] { filter { $0.createTime <= time } }

    /// The id after which there may be more registrations; `nil` if there are none.
    fileprivate var nextStart: String? { count == Audience.pageSize ? last?.path.id : nil }
}

/// The state of a broadcast between its pages.
struct Course: Sendable {
    let message: AcceptedMessage
    /// The selection of targets; `nil` for a condition. It is also `nil` for a broadcast of an earlier process, until
    /// the registrations that it sent to have been read.
    var selection: TargetSelection?
    /// The targets of older messages that this one replaces.
    var onDisk = WaitingTargets()
    /// The delivery that callers await, if any.
    var delivery: Delivery?
}
