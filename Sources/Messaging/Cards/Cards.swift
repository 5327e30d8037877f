package import DocumentStore
import JSON
package import Logging
import ServiceLifecycle

/// The owner of cards: it stores the state of each run's card, and accepts the messages that tell devices of its
/// changes.
///
/// One commit has the new state and the message, so no crash separates them. The dispatcher sends the newest message of
/// a card, and its transport opens the channel; see ``CardTransport``.
///
/// Every gateway takes events. The one that runs the service forgets old cards; see ``Duty``.
package final class Cards: Service {
    /// The settings of cards.
    package struct Settings: Hashable, Sendable {
        /// The shortest time between two updates of a card.
        package var updateInterval = Duration.seconds(5)
        /// The time without news after which a card looks out of date.
        package var staleAfter = Duration.seconds(15 * 60)
        /// The time from the end of a card to its removal from lock screens, at most four hours.
        package var dismissal = Duration.seconds(15 * 60)

        package init() {}
    }

    /// The indexes that the documents need in their store.
    package static let fieldIndexes = [
        FieldIndex(
            collectionGroup: CardDocument.collection, field: FieldPath(CardDocument.forgetAt), type: .timestamp)
    ]

    /// The name of the app's type of attributes.
    package static let attributesType = "RunActivityAttributes"
    /// The time after the end of a card in which progress counts as late, and starts no other card, in seconds.
    static let lateness: Int64 = 10
    /// The number of devices of a run that are looked at for those that show cards.
    private static let searched = 2_000
    /// The maximum number of attempts for an event. Of concurrent events of one card, one succeeds in each round.
    private static let mostTries = 100
    /// The time for which devices that are off may get a start or an update.
    private static let lifetime = Duration.seconds(3_600)
    /// The time for which devices that are off may get an end.
    private static let lifetimeOfEnds = Duration.seconds(4 * 3_600)
    private static let cleanUpInterval = Duration.seconds(10 * 60)
    private static let batch = 100

    private let store: any DocumentStore
    private let outbox: Outbox
    private let settings: Settings
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let logger: Logger

    /// Creates an owner.
    ///
    /// - Parameter clock: measures the time between two clean-ups.
    package init(
        store: any DocumentStore, outbox: Outbox, settings: Settings = Settings(),
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.store = store
        self.outbox = outbox
        self.settings = settings
        self.clock = clock
        self.now = now
        self.logger = logger
    }

    // MARK: Events

    /// Shows an event of a run. An event that changes nothing, such as a repeated one, has no effect. Neither has an
    /// event of a run that no device shows.
    ///
    /// - Parameters:
    ///   - devices: the documents of the run's devices, if they were read already.
    ///   - writes: further writes of the same commit, which are committed too if nothing changes on the card. If one
    ///     of them fails, or another event changes the card at the same moment, this throws, and the caller reads its
    ///     documents again.
    @discardableResult
    package func take(
        _ event: CardEvent, of run: CardRun, on devices: [Document]? = nil, alongside writes: [Write] = []
    ) async throws(StoreError) -> CardReach {
        guard writes.isEmpty else { return try await attempt(event, of: run, on: devices, alongside: writes) }
        return try await untilCommitted { [self] () async throws(StoreError) -> CardReach in
            try await attempt(event, of: run, on: devices, alongside: [])
        }
    }

    private func attempt(
        _ event: CardEvent, of run: CardRun, on devices: [Document]?, alongside writes: [Write]
    ) async throws(StoreError) -> CardReach {
        let path = try CardDocument.path(of: run)
        let found = try await store.document(at: path)
        guard let document = found, let known = CardDocument(document) else {
            return try await start(by: event, of: run, on: devices, at: path, after: found, alongside: writes)
        }
        let time = now()
        if known.state.phase.isEnd || known.isOutlived(at: time.seconds) {
            guard mayStart(by: event, of: run, after: known, at: time) else {
                return try await leave(.nobody, of: run, alongside: writes)
            }
            return try await start(by: event, of: run, on: devices, at: path, after: document, alongside: writes)
        }
        return try await change(known, by: event, of: run, after: document, at: time, alongside: writes)
    }

    /// Commits the writes beside an event that changes no card. A store that is nearly full may refuse them, as it may
    /// those beside a change.
    private func leave(
        _ reach: CardReach, of run: CardRun, alongside writes: [Write]
    ) async throws(StoreError) -> CardReach {
        guard !writes.isEmpty else { return reach }
        let draft = Draft(message: Message(), source: run.source, registrationFields: run.registrationFields)
        _ = try await outbox.accept(draft, to: [], alongside: writes)
        return reach
    }

    /// Repeats work whose documents another event changed between reading and writing.
    private func untilCommitted<Result: Sendable>(
        _ work: () async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        for _ in 1..<Self.mostTries {
            do throws(StoreError) {
                return try await work()
            } catch {
                guard [.failedPrecondition, .alreadyExists, .notFound].contains(error.code) else { throw error }
                if Task.isCancelled { throw StoreError.cancelled }
            }
        }
        return try await work()
    }

    /// Returns `true` if an event may start another card after one that has ended.
    private func mayStart(by event: CardEvent, of run: CardRun, after ended: CardDocument, at time: Timestamp) -> Bool {
        guard ended.state.phase.isEnd else { return event.startsCard }
        guard run.mayGoOn else { return false }
        if case .started = event { return true }
        return event.startsCard && time.seconds - ended.state.updatedAt >= Self.lateness
    }

    private func start(
        by event: CardEvent, of run: CardRun, on known: [Document]?, at path: DocumentPath, after former: Document?,
        alongside writes: [Write]
    ) async throws(StoreError) -> CardReach {
        let time = now()
        guard let state = CardState(startedBy: event, at: time.seconds) else {
            return try await leave(.nobody, of: run, alongside: writes)
        }
        let devices = CardDevices(try await documents(of: run, known), run.registrationFields)
        guard devices.count > 0 else { return try await leave(.unshown, of: run, alongside: writes) }
        let card = CardDocument(of: run, state, on: devices, at: time)
        let write: Write =
            if let former {
                .set(path, card.fields, precondition: .updateTime(former.updateTime))
            } else {
                .create(path, card.fields)
            }
        let fields = run.registrationFields
        let others = try await browsers(of: card, fields)
        // A relay starts a card as Apple does.
        let relayed = others.filter { $0.address.transport == .relay }
        let browsers = others.filter { $0.address.transport != .relay }
        let update = update(of: card, isUrgent: state.phase == .waiting)
        let phones = devices.phones.map { Target(address: $0.address, registration: nil) } + relayed
        if phones.isEmpty {
            try await accept(update, of: card, to: browsers, fields, alongside: writes + [write])
        } else {
            try await accept(start(of: card), of: card, to: phones, fields, alongside: writes + [write])
            if !browsers.isEmpty { try await accept(update, of: card, to: browsers, fields) }
        }
        return CardReach(card: card.id, devices: card.devices)
    }

    private func documents(of run: CardRun, _ known: [Document]?) async throws(StoreError) -> [Document] {
        if let known { return Array(known.prefix(Self.searched)) }
        return try await store.documents(matching: .collection(run.devices).limited(to: Self.searched))
    }

    private func change(
        _ known: CardDocument, by event: CardEvent, of run: CardRun, after document: Document, at time: Timestamp,
        alongside writes: [Write]
    ) async throws(StoreError) -> CardReach {
        var card = known
        let reach = CardReach(card: card.id, devices: card.devices)
        guard let push = card.state.take(event, at: time.seconds) else {
            return try await leave(reach, of: run, alongside: writes)
        }
        let write = Write.set(document.path, card.fields, precondition: .updateTime(document.updateTime))
        let activity: LiveActivity
        switch push {
        case .update(let isUrgent): activity = update(of: card, isUrgent: isUrgent)
        case .end: activity = end(of: card, at: time)
        case .unseen:
            return try await leave(reach, of: run, alongside: writes + [write])
        }
        let targets = Self.phones(of: card) + (try await browsers(of: card, run.registrationFields))
        try await accept(activity, of: card, to: targets, run.registrationFields, alongside: writes + [write])
        return reach
    }

    // MARK: Tokens

    /// Takes the update tokens of cards that one phone has. Each new one gets the present content, or the end.
    ///
    /// - Parameters:
    ///   - source: the system of the cards.
    ///   - owner: the owner of the cards. Those of others are left alone.
    ///   - registration: the phone's registration.
    package func take(
        _ tokens: [CardToken], of app: AppIdentity, _ registration: CardRegistration, source: String,
        owner: String? = nil
    ) async throws(StoreError) {
        let app = CardDocument.App(identity: app, isSlow: !registration.hasFrequentUpdates)
        for token in tokens {
            guard let path = try CardDocument.path(ofCard: token.card) else { continue }
            try await untilCommitted { [self] () async throws(StoreError) -> Void in
                guard let document = try await store.document(at: path), let card = CardDocument(document),
                    card.id == token.card, card.source == source, card.owner == owner
                else { return }
                try await add(CardDocument.Phone(token: token.token, app: app), to: card, document)
            }
        }
    }

    private func add(
        _ phone: CardDocument.Phone, to known: CardDocument, _ document: Document
    ) async throws(StoreError) {
        guard !known.phones.contains(where: { $0.token == phone.token }), known.phones.count < CardDevices.most else {
            return
        }
        var card = known
        card.phones.append(phone)
        let activity = card.state.phase.isEnd ? end(of: card, at: now()) : update(of: card, isUrgent: false)
        let write = Write.set(document.path, card.fields, precondition: .updateTime(document.updateTime))
        // The target has no registration.
        let fields = RegistrationFields(token: CardRegistration.field)
        let target = Target(address: phone.address, registration: nil)
        try await accept(activity, of: card, to: [target], fields, alongside: [write])
    }

    // MARK: Targets

    /// Returns the channels of a card, and its phones with tokens of their own.
    private static func phones(of card: CardDocument) -> [Target] {
        let channels = card.apps.map { CardAddress.channel(of: card.id, $0.identity, isSlow: $0.isSlow) }
        return (channels + card.phones.map(\.address)).map { Target(address: $0, registration: nil) }
    }

    /// Returns the browsers of a card, and its phones at relays, with their present addresses.
    private func browsers(
        of card: CardDocument, _ fields: RegistrationFields
    ) async throws(StoreError) -> [Target] {
        guard !card.browsers.isEmpty else { return [] }
        return try await store.documents(at: card.browsers).compactMap { document -> Target? in
            guard let document, let address = fields.address(in: document) else { return nil }
            return Target(address: address, registration: document.path)
        }
    }

    // MARK: Messages

    private func start(of card: CardDocument) -> LiveActivity {
        var attributes = JSONObject()
        for (name, value) in card.attributes.sorted(by: { $0.key < $1.key }) { attributes[name] = .string(value) }
        attributes["title"] = .string(card.title)
        attributes[LiveActivity.cardAttribute] = .string(card.id)
        let start = LiveActivity.Start(attributesType: Self.attributesType, attributes: attributes, input: .standard)
        let alert = LiveActivity.Alert(title: card.title, body: card.state.summary)
        return activity(.start(start), of: card, alert: alert, isUrgent: card.state.phase == .waiting)
    }

    private func update(of card: CardDocument, isUrgent: Bool) -> LiveActivity {
        activity(.update, of: card, isUrgent: isUrgent)
    }

    private func end(of card: CardDocument, at time: Timestamp) -> LiveActivity {
        // Nobody is needed any more; the systems notify of an end by themselves.
        activity(.end(dismissal: time.seconds + settings.dismissal.components.seconds), of: card, isUrgent: false)
    }

    private func activity(
        _ event: LiveActivity.Event, of card: CardDocument, alert: LiveActivity.Alert? = nil, isUrgent: Bool
    ) -> LiveActivity {
        LiveActivity(
            event, timestamp: card.state.updatedAt, contentState: card.state.content,
            staleDate: card.state.staleDate(after: settings.staleAfter.components.seconds),
            relevanceScore: card.state.relevanceScore, alert: alert, isUrgent: isUrgent)
    }

    /// Accepts the message of a change.
    ///
    /// - Parameter writes: the writes of the same commit.
    private func accept(
        _ activity: LiveActivity, of card: CardDocument, to targets: [Target], _ fields: RegistrationFields,
        alongside writes: [Write] = []
    ) async throws(StoreError) {
        var draft: Draft
        do throws(InvalidLiveActivity) {
            draft = Draft(
                message: try message(activity, of: card), lifetime: Self.lifetime, source: card.source,
                owner: card.owner.map { "\($0)/cards" } ?? "cards", registrationFields: fields)
        } catch {
            // The texts of a run are too long together.
            logger.warning("failed to make the content of a card", metadata: ["error": "\(error)"])
            if !writes.isEmpty { _ = try await store.commit(writes) }
            return
        }
        if case .end = activity.event { draft.lifetime = Self.lifetimeOfEnds }
        _ = try await outbox.accept(draft, to: targets, alongside: writes)
    }

    /// Returns the members of a browser's notification that decide on its sound. A browser shows the replacement of a
    /// notification without one, unless it is told otherwise. An end has none: the system notifies of it by itself.
    private static func notice(of activity: LiveActivity) -> JSONValue {
        activity.isUrgent ? ["renotify": true] : ["silent": true]
    }

    /// Returns the values for a program that shows the card by itself: the facts of the run, and the content as texts.
    private static func values(of card: CardDocument, and facts: [String: String]) -> JSONObject {
        var values = facts
        values["title"] = card.title
        values.merge(card.state.texts) { $1 }
        return JSONObject(values.sorted { $0.key < $1.key }.map { (name: $0.key, value: JSONValue.string($0.value)) })
    }

    /// Returns the message of a change. Its notification and data are for browsers, and for the gateway's inbox.
    private func message(_ activity: LiveActivity, of card: CardDocument) throws(InvalidLiveActivity) -> Message {
        // After the clock was set back, content still has the time of the last one.
        var message = try activity.message(at: max(now().seconds, activity.timestamp), collapseID: card.id)
        message.notification = Message.Notification(title: card.title, body: card.state.summary)
        message.data = card.attributes
        message.data["type"] = "card"
        message.data[LiveActivity.cardAttribute] = card.id
        message.webpush = [
            "notification": Self.notice(of: activity),
            "data": .object(Self.values(of: card, and: message.data)),
        ]
        return message
    }
}

/// The clean-up.
extension Cards {
    /// Forgets old cards until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.cleanUp()
                do {
                    try await self.clock.sleep(for: Self.cleanUpInterval)
                } catch {
                    return
                }
            }
        }
    }

    /// Forgets the cards whose time is over. A card without an end is ended by its channel's age, or by the system.
    package func cleanUp() async {
        do throws(StoreError) {
            var query = Query.collection(try CollectionPath(CardDocument.collection))
                .where(FieldPath(CardDocument.forgetAt), .lessThan, .timestamp(now()))
                .ordered(by: FieldPath(CardDocument.forgetAt)).limited(to: Self.batch)
            query.projection = [FieldPath(CardDocument.forgetAt)]
            while !Task.isCancelled {
                let old = try await store.documents(matching: query)
                try await store.commit(
                    groups: old.map { [Write.delete($0.path, precondition: .updateTime($0.updateTime))] })
                guard old.count == Self.batch else { return }
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning("failed to forget old cards; retrying", metadata: ["error": "\(error)"])
        }
    }
}
