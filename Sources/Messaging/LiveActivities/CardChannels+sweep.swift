import DocumentStore
import Logging
import Metrics
import Synchronization

/// The ends of channels.
extension CardChannels {
    /// The number of channels that are read and settled at once.
    static let batch = 50
    /// The wait before a request that failed is repeated.
    private static let retryDelay = Duration.seconds(30)
    /// The wait before a deletion is repeated that Apple refuses for a reason that does not pass by itself.
    private static let longRetryDelay = Duration.seconds(3_600)
    /// The time for which Apple keeps the end of a card that was forgotten, in seconds.
    private static let forgottenEndLifetime: Int64 = 3_600

    /// Does what is due: publishes ends, deletes the channels of cards that have ended, ends cards that are too old,
    /// and looks for channels whose creation was not finished.
    package func sweep() async {
        guard let service else { return }
        do throws(StoreError) {
            let unfinished = try await settleDue(service)
            for (app, documents) in unfinished { try await resolve(documents, of: app, service) }
            Meter(label: "pushgate_channels").set(try await store.count(try Self.queryOfAll()))
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning("failed to sweep the channels of cards; retrying", metadata: ["error": "\(error)"])
        }
    }

    /// Settles all channels that are due.
    ///
    /// - Returns: the documents of creations without an end, by app.
    private func settleDue(_ service: any ChannelService) async throws(StoreError) -> [AppIdentity: [Document]] {
        var unfinished: [AppIdentity: [Document]] = [:]
        var query = try Self.dueQuery(until: now()).limited(to: Self.batch)
        while !Task.isCancelled {
            let page = try await store.documents(matching: query)
            var due: [(CardChannel, Document)] = []
            for document in page {
                guard let known = CardChannel(document) else { continue }
                if known.state == .creating {
                    unfinished[known.app, default: []].append(document)
                } else {
                    due.append((known, document))
                }
            }
            await withDiscardingTaskGroup { group in
                for (known, document) in due {
                    group.addTask {
                        _ = await self.settle(self.aged(known), at: document.path, document.updateTime, service)
                    }
                }
            }
            guard page.count == Self.batch, let next = Self.cursor(after: page, in: store) else { break }
            query.start = next
        }
        return unfinished
    }

    /// Returns the channel with an end, if its card was forgotten.
    private func aged(_ known: CardChannel) -> CardChannel { known.state == .open ? ending(known) : known }

    /// Returns the channel of a card with an end that leaves its content as it is, and removes it at once.
    func ending(_ known: CardChannel) -> CardChannel {
        let seconds = now().seconds
        var ended = known
        ended.state = .ended
        ended.end = try? LiveActivity(.end(dismissal: seconds), timestamp: seconds, contentState: nil)
            .broadcast(at: seconds, expiration: seconds + Self.forgottenEndLifetime)
        return ended
    }

    /// Publishes the end of an ended card, or deletes its channel.
    ///
    /// - Parameter version: the update time of the document.
    /// - Returns: the error if the end is to be published again.
    func settle(
        _ channel: CardChannel, at path: DocumentPath, _ version: Timestamp, _ service: any ChannelService
    ) async -> ChannelError? {
        guard let id = channel.channel, let end = channel.end, end.expiration == 0 || end.expiration > now().seconds
        else {
            await remove(channel, at: path, version, service)
            return nil
        }
        var next = channel
        var failure: ChannelError?
        do throws(ChannelError) {
            try await service.publish(end, to: id, of: channel.app)
            count(.publish, nil)
            (next.end, next.dueAt) = (nil, now().adding(limits.linger))
        } catch {
            count(.publish, error)
            switch error.kind {
            // An app that loses the capability loses all its channels.
            case .unknownChannel, .featureOff:
                await forget(channel, at: path, version)
                return nil
            case .unavailable, .refused:
                next.dueAt = now().adding(max(Self.retryDelay, error.retryAfter ?? .zero))
                failure = error
            case .limitReached, .wrongApp, .invalidRequest: (next.end, next.dueAt) = (nil, now())
            }
        }
        await keep(next, at: path, version)
        return failure
    }

    /// Deletes a channel, and then forgets it.
    func remove(
        _ channel: CardChannel, at path: DocumentPath, _ version: Timestamp, _ service: any ChannelService
    ) async {
        guard let id = channel.channel else { return await forget(channel, at: path, version) }
        do throws(ChannelError) {
            try await deleteAtApple(id, of: channel.app, service)
        } catch {
            guard error.isGone else {
                var next = channel
                let passes = error.kind == .unavailable || error.kind == .refused
                let delay = passes ? Self.retryDelay : Self.longRetryDelay
                next.dueAt = now().adding(max(delay, error.retryAfter ?? .zero))
                return await keep(next, at: path, version)
            }
        }
        await forget(channel, at: path, version)
    }

    /// Forgets a channel that is gone. The end of its card is remembered for as long as the card's start may be tried
    /// again: it must not start a card that nobody ends.
    private func forget(_ channel: CardChannel, at path: DocumentPath, _ version: Timestamp) async {
        let end = channel.createdAt.adding(Self.memoryOfEnds)
        guard channel.channel != nil, !channel.card.isEmpty, end > now() else { return await tryForget(path, version) }
        var ended = channel
        (ended.state, ended.channel, ended.end, ended.dueAt) = (.ended, nil, nil, end)
        await keep(ended, at: path, version)
    }

    private func keep(_ channel: CardChannel, at path: DocumentPath, _ version: Timestamp) async {
        do throws(StoreError) {
            _ = try await store.commit([.set(path, channel.fields, precondition: .updateTime(version))])
        } catch {
            report(error)
        }
    }

    private func tryForget(_ path: DocumentPath, _ version: Timestamp) async {
        do throws(StoreError) {
            try await forget(path, version)
        } catch {
            report(error)
        }
    }

    /// Deletes the document of a channel that is gone, unless it has changed.
    func forget(_ path: DocumentPath, _ version: Timestamp) async throws(StoreError) {
        do throws(StoreError) {
            _ = try await store.commit([.delete(path, precondition: .updateTime(version))])
        } catch {
            guard error.code == .failedPrecondition else { throw error }
        }
    }

    private func report(_ error: StoreError) {
        // The document has changed, or the next sweep does the same again.
        guard error.code != .failedPrecondition, !Task.isCancelled else { return }
        logger.warning("failed to store the state of a channel; retrying", metadata: ["error": "\(error)"])
    }
}

/// The search for channels whose creation was not finished.
extension CardChannels {
    /// Finds the channels of creations without an end: those that no document names, that were not there before, and
    /// that are still unknown after the longest time of a creation. If there are more of them than such creations,
    /// others have created channels, and none is deleted. A creation that may not have ended before the first look
    /// waits for another one, which sees its channel.
    ///
    /// - Parameter unfinished: the documents of creations that have no channel and no longer run.
    private func resolve(
        _ unfinished: [Document], of app: AppIdentity, _ service: any ChannelService
    ) async throws(StoreError) {
        let (time, suspects) = (now(), memory.withLock { $0.suspects[app] })
        if let suspects, time - suspects.since < limits.creation { return }
        let listed: Set<ChannelID>
        do throws(ChannelError) {
            listed = try await channelsAtApple(of: app, service)
        } catch {
            return
        }
        // The documents are read after the list: a channel that is created meanwhile is in both, or in none.
        let path = try StrangeChannels.path(of: app)
        var strangers = try await store.document(at: path).map(StrangeChannels.channels) ?? []
        let unknown = listed.subtracting(try await known(of: app)).subtracting(strangers)
        guard let suspects else {
            if !unknown.isEmpty { return memory.withLock { $0.suspects[app] = (unknown, time) } }
            return try await forgetAll(unfinished)
        }
        let orphans = unknown.intersection(suspects.channels)
        if orphans.count <= unfinished.count {
            for orphan in orphans {
                guard await delete(orphan, of: app, service) else { return }
            }
        } else {
            logger.warning(
                "found channels of another program beside a creation that was not finished; leaving them all",
                metadata: ["app": "\(app.bundleID ?? "-")", "channels": "\(orphans.count)"])
            strangers.formUnion(orphans)
            _ = try await store.commit([.set(path, StrangeChannels.fields(strangers, of: app))])
            memory.withLock { [count = strangers.count] in $0.strangers[app] = count }
        }
        let seen = unfinished.filter { document in
            CardChannel(document).map { suspects.since - $0.createdAt >= abandonment } ?? true
        }
        try await forgetAll(seen)
        memory.withLock { $0.suspects[app] = nil }
    }

    private func forgetAll(_ documents: [Document]) async throws(StoreError) {
        for document in documents { try await forget(document.path, document.updateTime) }
    }

    private func delete(_ channel: ChannelID, of app: AppIdentity, _ service: any ChannelService) async -> Bool {
        do throws(ChannelError) {
            try await deleteAtApple(channel, of: app, service)
            return true
        } catch {
            return error.isGone
        }
    }

    // MARK: Queries

    /// Returns the channels that documents of an app name.
    func known(of app: AppIdentity) async throws(StoreError) -> Set<ChannelID> {
        var query = try Self.query(of: app)
        query.projection = [FieldPath(CardChannel.channel)]
        let documents = try await store.documents(matching: query)
        return Set(documents.compactMap { $0[CardChannel.channel]?.string }.map(ChannelID.init(rawValue:)))
    }

    /// Returns a query for the channels of all apps, and those that are being created.
    static func queryOfAll() throws(StoreError) -> Query {
        Query.collection(try CollectionPath(CardChannel.collection))
            .where(FieldPath(CardChannel.app), .greaterThan, .string(""))
    }

    /// Returns the place after a page of channels in the order in which they are due.
    static func cursor(after page: [Document], in store: any DocumentStore) -> Cursor? {
        guard let last = page.last, let time = last[CardChannel.dueAt] else { return nil }
        return Cursor([time, .reference(last.path.name(in: store.database))], isAfter: true)
    }

    static func query(of app: AppIdentity) throws(StoreError) -> Query {
        Query.collection(try CollectionPath(CardChannel.collection))
            .where(FieldPath(CardChannel.app), .equal, .string(app.channelKey))
    }

    /// Returns a query for the channels in the order in which they are due.
    static func dueQuery(until time: Timestamp = .distantFuture) throws(StoreError) -> Query {
        Query.collection(try CollectionPath(CardChannel.collection))
            .where(FieldPath(CardChannel.dueAt), .lessThanOrEqual, .timestamp(time))
            .ordered(by: FieldPath(CardChannel.dueAt)).ordered(by: .documentName)
    }
}

extension ChannelError {
    /// `true` if there is no such channel any more.
    fileprivate var isGone: Bool { kind == .unknownChannel || kind == .featureOff }
}
