package import DocumentStore
package import Logging
import ServiceLifecycle
import Synchronization

/// The owner of broadcast channels. A channel serves one card, is deleted after its end, and is never given to another:
/// a card that starts shows at once what its channel keeps.
///
/// A document is written before Apple is asked for a channel, and deleted after Apple has deleted it, so a crash at any
/// moment leaves a document for each channel. Apple gives the id only in its answer; the sweep therefore looks for the
/// channels of creations without an end among all channels of the app. Meanwhile the document of such a creation is
/// set aside, and its card gets another channel.
///
/// Every gateway opens channels, publishes and ends. The one that runs the service sweeps; see ``Duty``.
package final class CardChannels: Service {
    /// The limits of channels.
    package struct Limits: Hashable, Sendable {
        /// The number of channels of one app in one environment beyond which cards get none. Apple's own limit is
        /// 10,000.
        package var channels = 9_000
        /// The time after which a card without an end is ended. The system ends cards after eight hours.
        package var lifetime = Duration.seconds(LiveActivity.longestLife)
        /// The time for which a channel stays after its end, so that phones that were off learn of it.
        package var linger = Duration.seconds(10 * 60)
        /// The time after which a creation has ended, with or without an answer, and Apple lists its channel.
        package var creation = Duration.seconds(5 * 60)

        package init() {}
    }

    /// The memory of one process. Nothing depends on it but the number of requests.
    struct Memory: Sendable {
        /// The apps for which Apple is not asked.
        var pauses: [AppIdentity: (absence: CardChannelAbsence, until: Timestamp)] = [:]
        /// The number of strangers' channels of the apps for which it is known.
        var strangers: [AppIdentity: Int] = [:]
        /// The times at which strangers' channels were counted again.
        var recounts: [AppIdentity: Timestamp] = [:]
        /// The unknown channels of apps with creations without an end, and the time at which they were seen.
        var suspects: [AppIdentity: (channels: Set<ChannelID>, since: Timestamp)] = [:]
        var warnings = IntervalLimit.hourly
        /// The last card of each app that got no channel.
        var shortages: [AppIdentity: (absence: CardChannelAbsence, at: Timestamp)] = [:]
    }

    /// The indexes that the documents need in their store.
    package static let fieldIndexes = [
        FieldIndex(collectionGroup: CardChannel.collection, field: FieldPath(CardChannel.dueAt), type: .timestamp),
        FieldIndex(collectionGroup: CardChannel.collection, field: FieldPath(CardChannel.app), type: .string),
    ]

    /// The longest time of a creation with an answer. A request takes half a minute at most, and may be sent twice.
    private static let longestCreation = Duration.seconds(70)
    /// The time for which the end of a card without a channel is remembered. A start that is tried later has expired.
    static let memoryOfEnds = Duration.seconds(3_600)
    /// The times between two sweeps.
    private static let sweepIntervals = (shortest: Duration.seconds(1), longest: Duration.seconds(15))

    let service: (any ChannelService)?
    let store: any DocumentStore
    let admitting: any DocumentStore
    let limits: Limits
    private let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp
    let logger: Logger
    let memory = Mutex(Memory())

    /// Creates an owner.
    ///
    /// - Parameters:
    ///   - service: the push service's channels; `nil` if there are none.
    ///   - admitting: the store for new channels, which refuses them on a full disk.
    ///   - clock: measures the time between two sweeps.
    package init(
        _ service: (any ChannelService)?, store: any DocumentStore, admitting: any DocumentStore,
        limits: Limits = Limits(), clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.service = service
        self.store = store
        self.admitting = admitting
        self.limits = limits
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    /// Sweeps until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.sweep()
                do {
                    try await self.clock.sleep(for: self.sweepInterval)
                } catch {
                    return
                }
            }
        }
    }

    /// The time between two sweeps: shorter than what they wait for.
    private var sweepInterval: Duration {
        max(Self.sweepIntervals.shortest, min(Self.sweepIntervals.longest, limits.linger, limits.creation))
    }

    /// The time after which a creation of another process has no answer any more, so that the card gets another
    /// channel.
    var abandonment: Duration { min(Self.longestCreation, limits.creation) }

    // MARK: Opening

    /// Returns the channel of a card, which is created if need be. A repeated call returns the same one.
    ///
    /// - Parameters:
    ///   - card: the card's name, which no other card of the app has, now or later.
    ///   - app: the app and the environment of the card's phones.
    package func open(for card: String, of app: AppIdentity) async throws(StoreError) -> CardChannelGrant {
        guard let service, let app = service.resolved(app) else { return .absent(.notAvailable) }
        let path = try CardChannel.path(of: card, app)
        if let document = try await store.document(at: path), let known = CardChannel(document) {
            guard isAbandoned(known) else { return Self.grant(of: known) }
            guard try await setAside(known, at: path, document.updateTime) else { return .absent(.beingCreated) }
        }
        if let absence = pause(of: app) { return .absent(absence) }
        if let absence = try await learnStrangers(of: app, service) { return .absent(absence) }
        guard try await hasRoom(for: app, service) else { return .absent(.nearLimit) }
        let time = now()
        let intent = CardChannel(
            card: card, app: app, state: .creating, at: time, dueAt: time.adding(limits.creation))
        let version: Timestamp
        do throws(StoreError) {
            version = try await admitting.commit([.create(path, intent.fields)]).commitTime
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return try await existing(at: path) ?? .absent(.beingCreated)
        }
        return try await create(intent, at: path, version, service)
    }

    private func existing(at path: DocumentPath) async throws(StoreError) -> CardChannelGrant? {
        guard let document = try await store.document(at: path), let known = CardChannel(document) else { return nil }
        return Self.grant(of: known)
    }

    private static func grant(of known: CardChannel) -> CardChannelGrant {
        switch (known.state, known.channel) {
        case (.open, let channel?): .channel(channel)
        case (.ended, _): .absent(.ended)
        case (.creating, _), (.open, nil): .absent(.beingCreated)
        }
    }

    /// Asks Apple for a channel.
    private func create(
        _ intent: CardChannel, at path: DocumentPath, _ version: Timestamp, _ service: any ChannelService
    ) async throws(StoreError) -> CardChannelGrant {
        let channel: ChannelID
        do throws(ChannelError) {
            channel = try await service.create(for: intent.app, storing: .newest)
            count(.create, nil)
        } catch {
            count(.create, error)
            if error.mayHaveHappened {
                _ = try await setAside(intent, at: path, version)
            } else {
                _ = try await store.commit([.delete(path, precondition: .updateTime(version))])
            }
            // Others have created channels since theirs were counted. Ended cards make room for the next card.
            if error.kind == .limitReached, try await reclaim(of: intent.app, service) { return .absent(.limitReached) }
            return .absent(note(error, of: intent.app))
        }
        var opened = intent
        (opened.state, opened.channel) = (.open, channel)
        opened.dueAt = now().adding(limits.lifetime)
        do throws(StoreError) {
            _ = try await store.commit([.set(path, opened.fields, precondition: .updateTime(version))])
        } catch {
            await discard(channel, of: intent.app, service)
            throw error
        }
        return .channel(channel)
    }

    /// Returns `true` for a creation that no process waits for any more.
    private func isAbandoned(_ known: CardChannel) -> Bool {
        known.state == .creating && now() - known.createdAt >= abandonment
    }

    /// Moves the document of a creation without an answer, so that its card can get another channel. Apple may have
    /// made one, which the sweep finds by the moved document.
    ///
    /// - Returns: `false` if the document has changed meanwhile.
    private func setAside(
        _ intent: CardChannel, at path: DocumentPath, _ version: Timestamp
    ) async throws(StoreError) -> Bool {
        let aside = try CardChannel.path(of: "\(intent.card)/\(intent.createdAt.microseconds)", intent.app)
        do throws(StoreError) {
            _ = try await store.commit([
                .delete(path, precondition: .updateTime(version)), .create(aside, intent.fields),
            ])
            return true
        } catch {
            guard [.failedPrecondition, .alreadyExists, .notFound].contains(error.code) else { throw error }
            return false
        }
    }

    /// Deletes a channel that no document names. If that fails, a document does.
    private func discard(_ channel: ChannelID, of app: AppIdentity, _ service: any ChannelService) async {
        do throws(ChannelError) {
            try await deleteAtApple(channel, of: app, service)
        } catch {
            let time = now()
            let unused = CardChannel(
                card: "", app: app, state: .ended, channel: channel, at: time, dueAt: time)
            guard error.kind != .unknownChannel,
                let path = try? CardChannel.path(of: "\(channel.rawValue)/unused", app)
            else { return }
            _ = try? await store.commit([.set(path, unused.fields)])
        }
    }

    // MARK: Publishing

    /// Publishes an update to the card's phones.
    package func publish(
        _ broadcast: ChannelBroadcast, for card: String, of app: AppIdentity
    ) async throws(StoreError) -> CardPublication {
        guard let service, let app = service.resolved(app) else { return .absent(.notAvailable) }
        let path = try CardChannel.path(of: card, app)
        guard let document = try await store.document(at: path), let known = CardChannel(document) else {
            return .absent(.notAvailable)
        }
        guard known.state == .open, let channel = known.channel else {
            return .absent(known.state == .ended ? .ended : .beingCreated)
        }
        do throws(ChannelError) {
            try await service.publish(broadcast, to: channel, of: app)
            count(.publish, nil)
            return .published
        } catch {
            count(.publish, error)
            guard error.kind == .unknownChannel else { return .failed(error) }
            try await forget(path, document.updateTime)
            return .absent(.gone)
        }
    }

    /// Ends a card. The commit that ends it has the end, so a crash afterwards delays it and loses nothing. A card that
    /// has no channel yet gets none any more.
    ///
    /// - Parameters:
    ///   - broadcast: the end.
    ///   - writes: the writes that belong to the same commit. They are committed without a channel too.
    package func end(
        _ broadcast: ChannelBroadcast, for card: String, of app: AppIdentity, alongside writes: [Write] = []
    ) async throws(StoreError) -> CardPublication {
        guard let service, let app = service.resolved(app) else { return try await absent(.notAvailable, writes) }
        let path = try CardChannel.path(of: card, app)
        guard let document = try await store.document(at: path), var known = CardChannel(document) else {
            return try await endBeforeStart(of: card, app, at: path, writes)
        }
        if isAbandoned(known), try await setAside(known, at: path, document.updateTime) {
            return try await endBeforeStart(of: card, app, at: path, writes)
        }
        guard known.state == .open else {
            return try await absent(known.state == .ended ? .ended : .beingCreated, writes)
        }
        (known.state, known.end, known.dueAt) = (.ended, broadcast, now())
        let end = Write.set(path, known.fields, precondition: .updateTime(document.updateTime))
        let version = try await store.commit(writes + [end]).commitTime
        if let error = await settle(known, at: path, version, service) { return .failed(error) }
        return .published
    }

    /// Ends a card without a channel. A document keeps one from being opened for it later.
    private func endBeforeStart(
        of card: String, _ app: AppIdentity, at path: DocumentPath, _ writes: [Write]
    ) async throws(StoreError) -> CardPublication {
        let time = now()
        let ended = CardChannel(
            card: card, app: app, state: .ended, at: time, dueAt: time.adding(Self.memoryOfEnds))
        do throws(StoreError) {
            _ = try await store.commit(writes + [.create(path, ended.fields)])
            return .absent(.notAvailable)
        } catch {
            guard error.code == .alreadyExists else { throw error }
            return try await absent(.beingCreated, writes)
        }
    }

    /// Commits the writes that belong to an end without a channel.
    private func absent(
        _ absence: CardChannelAbsence, _ writes: [Write]
    ) async throws(StoreError) -> CardPublication {
        if !writes.isEmpty { _ = try await store.commit(writes) }
        return .absent(absence)
    }

    // MARK: Pauses

    private func pause(of app: AppIdentity) -> CardChannelAbsence? {
        let time = now()
        return memory.withLock { memory in
            guard let pause = memory.pauses[app] else { return nil }
            if pause.until > time { return pause.absence }
            memory.pauses[app] = nil
            return nil
        }
    }

    /// Returns the reason in an error, for which Apple is not asked again for a time.
    func note(_ error: ChannelError, of app: AppIdentity) -> CardChannelAbsence {
        let absence = CardChannelAbsence(error)
        if let pause = absence.pause {
            let until = now().adding(max(pause, error.retryAfter ?? .zero))
            memory.withLock { $0.pauses[app] = (absence, until) }
        }
        return absence
    }
}
