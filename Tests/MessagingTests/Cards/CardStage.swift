import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

/// An outbox and a dispatcher that send to cards, over a real store, with a clock that stands still, scripted channels,
/// and a scripted transport to phones.
struct CardStage: Sendable {
    let clock: ManualClock
    let store: TemporaryStore
    let apple: ScriptedChannels
    let phones: ScriptedTransport
    let channels: CardChannels
    let dispatcher: Dispatcher
    let outbox: Outbox
    let cards: Cards

    static let app = AppIdentity(bundleID: "com.example.app", environment: "production")

    /// - Parameters:
    ///   - other: the stage of a process that has ended, whose documents and channels go on.
    ///   - channelLimit: the number of channels that the app may have.
    init(
        _ phones: ScriptedTransport = ScriptedTransport(), on other: CardStage? = nil, channelLimit: Int = 9_000
    ) throws {
        let clock = other?.clock ?? ManualClock()
        self.clock = clock
        self.phones = phones
        apple = other?.apple ?? ScriptedChannels()
        let fieldIndexes = Outbox.fieldIndexes + CardChannels.fieldIndexes + Cards.fieldIndexes
        store = try other?.store ?? TemporaryStore(clock: clock, fieldIndexes: fieldIndexes)
        var limits = CardChannels.Limits()
        limits.channels = channelLimit
        channels = CardChannels(
            apple, store: store.documents, admitting: store.documents, limits: limits, now: { clock.timestamp },
            logger: .silent)
        let transport = CardTransport(over: phones, channels: channels, interval: .seconds(5), now: { clock.timestamp })
        dispatcher = Dispatcher(
            store: store.documents,
            transports: TransportTable([
                .liveActivity: transport, .apns: phones, .emulated: phones, .fcm: phones, .relay: phones,
            ]),
            clock: clock, now: { clock.timestamp }, jitter: { 1 }, logger: .silent)
        outbox = Outbox(store: store.documents, dispatcher: dispatcher, now: { clock.timestamp })
        cards = Cards(
            store: store.documents, outbox: outbox, clock: clock, now: { clock.timestamp }, logger: .silent)
    }

    func running(_ body: () async throws -> Void) async throws { try await dispatcher.running(body) }

    // MARK: Messages

    /// Accepts the start of the card `c1` on phones.
    @discardableResult
    func start(on tokens: [String], card: String = "c1") async throws -> Delivery {
        let start = LiveActivity.Start(
            attributesType: "Run", attributes: ["card": .string(card)], input: .standard)
        let activity = LiveActivity(
            .start(start), timestamp: clock.seconds, contentState: ["step": 0], alert: .init(title: "Run", body: "On"))
        let targets = tokens.map {
            Target(address: CardAddress.token(RegistrationToken($0), Self.app, isSlow: false), registration: nil)
        }
        return try await accept(activity, card, targets)
    }

    /// Accepts a change of the card `c1`, for its channel if no other address is given.
    @discardableResult
    func change(
        _ event: LiveActivity.Event = .update, step: Int64, isUrgent: Bool = false, isSlow: Bool = false,
        card: String = "c1", address: PushAddress? = nil
    ) async throws -> Delivery {
        let activity = LiveActivity(
            event, timestamp: clock.seconds, contentState: ["step": .integer(step)], isUrgent: isUrgent)
        let address = address ?? CardAddress.channel(of: card, Self.app, isSlow: isSlow)
        return try await accept(activity, card, [Target(address: address, registration: nil)])
    }

    private func accept(_ activity: LiveActivity, _ card: String, _ targets: [Target]) async throws -> Delivery {
        // The ids of messages are in the order of their acceptance.
        clock.advance(by: .microseconds(1))
        let draft = Draft(
            message: try activity.message(at: clock.seconds, collapseID: card), lifetime: .seconds(3_600),
            source: "test", registrationFields: RegistrationFields(token: "token"))
        return try await outbox.accept(draft, to: targets)
    }

    // MARK: Runs

    static var devices: CollectionPath {
        get throws(StoreError) { try CollectionPath("devices") }
    }
    static let fields = RegistrationFields(token: "token", environment: "environment")

    /// Registers a device that shows cards.
    ///
    /// - Parameters:
    ///   - startToken: its push-to-start token; `nil` for one that shows notifications.
    ///   - app: the app; `nil` for the stage's.
    func register(
        _ id: String, startToken: String?, isSlow: Bool = false, app: AppIdentity? = nil
    ) async throws {
        var fields = Self.fields.fields(of: PushAddress(token: "device-\(id)", app: app ?? Self.app))
        let registration = CardRegistration(
            startToken: startToken.map { RegistrationToken($0) }, hasFrequentUpdates: !isSlow)
        fields[CardRegistration.field] = registration.value
        _ = try await store.documents.commit([.set(try Self.devices.document(id), fields)])
    }

    func run(_ name: String = "r1", mayGoOn: Bool = false) throws -> CardRun {
        CardRun(
            source: "test", owner: "o1", name: name, title: "my-repo", attributes: ["run_id": name],
            devices: try Self.devices, registrationFields: Self.fields, mayGoOn: mayGoOn)
    }

    // MARK: Results

    /// The contents that were published to channels, in order.
    var contents: [JSONValue?] {
        apple.current.broadcasts.map { (try? JSONValue(parsing: $0.payload))?["aps"]?["content-state"] }
    }

    /// The contents of the notifications given to the transport, in order.
    var sentContents: [JSONValue?] {
        phones.sent.map { $0.message.message.apns?.payload["aps"]?["content-state"] }
    }

    /// Waits until all messages have settled.
    func allSettled() async throws {
        try await eventually("all settle", advancing: clock, by: .milliseconds(100)) {
            let waiting = Query.collectionGroup(OutboxDocuments.messages)
                .where(QueueKey.field, .greaterThan, .string(""))
            return try await store.documents.count(waiting) == 0
        }
    }

    /// The steps that were published to channels, in order.
    var published: [Int64?] {
        apple.current.broadcasts.map { broadcast in
            (try? JSONValue(parsing: broadcast.payload))?["aps"]?["content-state"]?["step"]?.integer
        }
    }

    func states(_ delivery: Delivery) async throws -> [NotificationRecord.State] {
        let history = DeliveryHistory(store: store.documents)
        return try await history.delivery(of: delivery.messageID)?.notifications.map(\.state) ?? []
    }

    /// Waits until steps were published, without moving the clock.
    func published(_ steps: [Int64?]) async throws {
        try await eventually("\(steps) are published") { published == steps }
    }

    /// Waits until nothing of a message waits.
    func settled(_ delivery: Delivery) async throws {
        try await eventually("the message settles", advancing: clock, by: .milliseconds(100)) {
            let states = try await states(delivery)
            return !states.isEmpty && states.allSatisfy { !$0.isPending }
        }
    }
}

extension NotificationRecord.State {
    var isPending: Bool { if case .pending = self { true } else { false } }
}
