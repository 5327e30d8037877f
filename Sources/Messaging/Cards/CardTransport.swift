package import DocumentStore
import JSON
import Metrics
import Synchronization

/// A transport to cards, over Apple's.
///
/// The start of a card goes to the push-to-start tokens of phones, and opens the card's channel before that. Updates
/// and the end go to the channel, or to the update tokens of phones if the card has none. The dispatcher decides which
/// of several updates is sent, and their order, as for all messages that replace each other. This transport only makes
/// an update wait that follows another one too soon; one that somebody is needed for, and an end, never wait.
package final class CardTransport: PushTransport {
    private struct Push: Hashable, Sendable {
        let event: String
        let priority: String
        let way: Way
    }

    private struct CardOfApp: Hashable, Sendable {
        let card: String
        let app: AppIdentity
    }

    /// The way to phones, as a label of metrics.
    enum Way: String, Sendable {
        case start, channel, token
    }

    /// The factor by which the distance between updates is longer on phones where frequent updates are switched off.
    static let slowness = 12

    let base: any PushTransport
    let channels: CardChannels
    private let interval: Duration
    let now: @Sendable () -> Timestamp
    private let pace = Mutex(CardPace<RegistrationToken>())
    /// The cards that started without a channel at this gateway, by app.
    private let withoutChannel = Mutex<Set<CardOfApp>>([])
    private let pushes = KeptMetrics<Push, Counter> {
        Counter(
            label: "pushgate_live_activity_pushes_total",
            dimensions: [("event", $0.event), ("priority", $0.priority), ("way", $0.way.rawValue)])
    }

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - base: the transport to Apple.
    ///   - channels: the owner of the cards' channels.
    ///   - interval: the shortest time between two updates of a card.
    package init(
        over base: any PushTransport, channels: CardChannels, interval: Duration,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.base = base
        self.channels = channels
        self.interval = interval
        self.now = now
    }

    /// A text for logs.
    package var description: String { "Live Activities, over \(base.description)" }
    /// The maximum number of notifications in flight.
    package var window: Int { base.window }

    /// Returns the number that Apple's lane of the app has.
    package func window(of lane: Lane) -> Int { base.window(of: lane.ofApple) }

    /// Returns the lane with the app and the environment that the configuration gives it.
    package func resolved(_ lane: Lane) -> Lane {
        Lane(transport: lane.transport, app: base.resolved(lane.ofApple).app)
    }

    /// Returns `true`: a run that reports often makes many updates wait, which are no news for the log.
    package func isOfStrangers(_ lane: Lane) -> Bool { true }

    package func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        guard let card = PreparedCardMessage(message, transport: self) else {
            return RejectedMessage(rejection: .noLiveActivity)
        }
        return card
    }

    /// Gives up the request for a token. A broadcast is waited for: a newer one must not arrive before it.
    package func cancel(_ id: NotificationID) -> Bool { base.cancel(id) }

    // MARK: The distance between updates

    /// Returns the time for which an update has to wait; `nil` if it may go now.
    func wait(of address: PushAddress, isUrgent: Bool) -> Duration? {
        let time = now()
        return pace.withLock { pace in
            guard !isUrgent else {
                pace.note(address.token, at: time)
                return nil
            }
            let distance = CardAddress.isSlow(address) ? interval * Self.slowness : interval
            return pace.wait(of: address.token, atLeast: distance, at: time)
        }
    }

    /// Forgets the address of a card that has ended.
    func ended(_ address: PushAddress) { pace.withLock { $0.forget(address.token) } }

    // MARK: Cards without a channel

    /// The number of cards without a channel that are remembered. When there are more, all are forgotten, and the
    /// updates of some wait for a channel in vain.
    private static let rememberedCards = 50_000

    /// Notes that a card starts on a channel, or without one.
    func note(_ card: String, of app: AppIdentity, hasChannel: Bool) {
        withoutChannel.withLock { cards in
            guard !hasChannel else {
                if !cards.isEmpty { cards.remove(CardOfApp(card: card, app: app)) }
                return
            }
            if cards.count >= Self.rememberedCards { cards.removeAll() }
            cards.insert(CardOfApp(card: card, app: app))
        }
    }

    /// Returns `true` for a card that started without a channel at this gateway.
    func isWithoutChannel(_ card: String, of app: AppIdentity) -> Bool {
        withoutChannel.withLock { $0.contains(CardOfApp(card: card, app: app)) }
    }

    /// Counts a push that Apple has taken.
    func count(_ event: String, priority: String, by way: Way) {
        pushes[Push(event: event, priority: priority, way: way)].increment()
    }
}

extension Lane {
    /// The lane of the same app at Apple's own transport.
    fileprivate var ofApple: Lane { Lane(transport: .apns, app: app) }
}

/// A push to cards with everything that its targets share.
final class PreparedCardMessage: PreparedMessage {
    /// The change in the payload of a start by which phones learn of the updates.
    private enum Input: Hashable, Sendable {
        case none
        case token
        case channel(ChannelID)
    }

    /// The time for which the start of a card waits for Apple's management of channels, in seconds.
    private static let patienceOfOutage: Int64 = 30
    /// The time for which an update waits for the channel of a card that may not have started yet, in seconds.
    private static let patienceOfUpdate: Int64 = 120

    private let transport: CardTransport
    private let message: OutgoingMessage
    private let aps: JSONObject
    private let event: String
    private let card: String?
    /// The messages for Apple's transport, by the change in the payload.
    private let messages = Mutex<[Input: any PreparedMessage]>([:])

    /// Creates a push; `nil` if the message is no Live Activity's.
    init?(_ message: OutgoingMessage, transport: CardTransport) {
        guard let aps = message.message.apns?.payload["aps"]?.object,
            let event = aps[LiveActivity.Member.event]?.string
        else { return nil }
        self.transport = transport
        self.message = message
        self.aps = aps
        self.event = event
        card = aps[LiveActivity.Member.attributes]?[LiveActivity.cardAttribute]?.string
    }

    private var isStart: Bool { event == "start" }
    private var isEnd: Bool { event == "end" }
    private var priority: String { message.message.apns?.header("apns-priority") ?? "10" }

    func send(_ notification: OutgoingNotification) async -> Outcome {
        let address = notification.target.address
        if isStart { return counted(await start(notification), by: .start) }
        if !isEnd, let wait = transport.wait(of: address, isUrgent: priority == "10") { return .waiting(wait) }
        guard let card = CardAddress.card(of: address) else {
            return counted(await message(with: .none).send(notification), by: .token)
        }
        return counted(await publish(to: card), by: .channel)
    }

    /// Counts an acceptance, and returns the outcome. A card's token is none of its phone's registration.
    private func counted(_ outcome: Outcome, by way: CardTransport.Way) -> Outcome {
        if case .accepted = outcome { transport.count(event, priority: priority, by: way) }
        return outcome.keepingRegistration
    }

    /// The age of the message in seconds.
    private var age: Int64 { message.acceptedAt.map { transport.now().seconds - $0 } ?? 0 }

    // MARK: The start

    private func start(_ notification: OutgoingNotification) async -> Outcome {
        guard let card else { return await message(with: .token).send(notification) }
        let grant: CardChannelGrant
        do throws(StoreError) {
            grant = try await transport.channels.open(for: card, of: message.lane.app)
        } catch {
            return .storeUnavailable
        }
        switch grant {
        case .channel(let channel):
            transport.note(card, of: message.lane.app, hasChannel: true)
            return await message(with: .channel(channel)).send(notification)
        case .absent(.ended): return .rejected(.cardEnded)
        // A creation ends, or is set aside after a time, so this is no wait without an end.
        case .absent(.beingCreated): return .waiting(.seconds(1))
        case .absent(.unavailable) where age < Self.patienceOfOutage: return .waiting(.seconds(5))
        case .absent(let absence):
            transport.channels.reportCard(without: absence, of: message.lane.app)
            transport.note(card, of: message.lane.app, hasChannel: false)
            return await message(with: .token).send(notification)
        }
    }

    private func message(with input: Input) -> any PreparedMessage {
        messages.withLock { messages in
            if let known = messages[input] { return known }
            let made = transport.base.prepare(outgoing(with: input))
            messages[input] = made
            return made
        }
    }

    /// Returns the message for Apple's transport, without the parts for browsers.
    private func outgoing(with input: Input) -> OutgoingMessage {
        var aps = aps
        switch input {
        case .none: break
        case .token: aps[LiveActivity.Member.inputToken] = 1
        case .channel(let channel): aps[LiveActivity.Member.inputChannel] = .string(channel.rawValue)
        }
        let headers = message.message.apns?.headers ?? [:]
        return OutgoingMessage(
            message: Message(apns: Message.APNsConfiguration(headers: headers, payload: ["aps": .object(aps)])),
            lane: Lane(transport: .apns, app: message.lane.app), expiration: message.expiration,
            acceptedAt: message.acceptedAt)
    }

    // MARK: Updates and the end

    private func publish(to card: String) async -> Outcome {
        let broadcast = ChannelBroadcast(
            payload: JSONValue.object(["aps": .object(aps)]).serialized, priority: Int(priority) ?? 5,
            expiration: message.expiration)
        let app = message.lane.app
        do throws(StoreError) {
            guard isEnd else {
                if transport.isWithoutChannel(card, of: app) { return .rejected(.cardWithoutChannel) }
                return outcome(of: try await transport.channels.publish(broadcast, for: card, of: app))
            }
            transport.ended(CardAddress.channel(of: card, app, isSlow: false))
            switch try await transport.channels.end(broadcast, for: card, of: app) {
            // The owner of the channel has stored the end, and publishes it until it succeeds.
            case .published, .failed: return .accepted
            case .absent(.beingCreated): return .waiting(.seconds(5))
            // An attempt before a crash has ended it.
            case .absent(.ended): return .accepted
            case .absent: return .rejected(.cardWithoutChannel)
            }
        } catch {
            return .storeUnavailable
        }
    }

    private func outcome(of publication: CardPublication) -> Outcome {
        switch publication {
        case .published: .accepted
        case .failed(let error): Outcome(error)
        case .absent(.ended): .rejected(.cardEnded)
        // The start of the card may not have been sent yet.
        case .absent(.beingCreated), .absent(.notAvailable):
            age < Self.patienceOfUpdate ? .waiting(.seconds(1)) : .rejected(.cardWithoutChannel)
        case .absent: .rejected(.cardWithoutChannel)
        }
    }
}

extension Outcome {
    /// Returns the outcome of a push that waits for its turn, without an attempt.
    fileprivate static func waiting(_ wait: Duration) -> Outcome {
        .failed(Failure(code: .serverUnavailable, reason: "CardWaits", retryAfter: wait, isAttempt: false))
    }

    fileprivate static let storeUnavailable = Outcome.failed(
        Failure(code: .internalError, reason: "StoreUnavailable"))

    /// Returns the outcome of a broadcast that failed.
    fileprivate init(_ error: ChannelError) {
        self =
            switch error.kind {
            case .unavailable:
                .failed(Failure(code: .serverUnavailable, reason: error.reason, retryAfter: error.retryAfter))
            case .refused:
                .failed(
                    Failure(
                        code: .thirdPartyAuthError, reason: error.reason, retryAfter: error.retryAfter,
                        laneFailure: .refused))
            case .unknownChannel, .limitReached, .featureOff, .wrongApp, .invalidRequest:
                .rejected(Rejection(code: .invalidArgument, reason: error.reason))
            }
    }
}

extension Rejection {
    fileprivate static let noLiveActivity = Rejection(code: .invalidArgument, reason: "NotALiveActivity")
    fileprivate static let cardEnded = Rejection(code: .invalidArgument, reason: "CardEnded")
    fileprivate static let cardWithoutChannel = Rejection(code: .invalidArgument, reason: "CardHasNoChannel")
}
