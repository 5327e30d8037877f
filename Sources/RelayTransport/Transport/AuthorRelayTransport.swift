import Cryptography
package import DocumentStore
package import Logging
package import Messaging
import Synchronization
import WebPush

/// A transport to the relays of apps' authors, which deliver to phones what this gateway has sealed for them.
///
/// A relay recognizes a repeated notification by its id, so that a phone gets none twice that the relay has accepted
/// within a week.
package final class AuthorRelayTransport: PushTransport {
    /// The numbers of notifications of a lane in flight: of one relay, and of a lane that several share.
    private static let (ownWindow, sharedWindow) = (50, 4)
    /// The shortest time between two updates of a card on one phone. A send secret has a limited number of messages in
    /// a minute, which the notifications of the same phone need too.
    private static let cardInterval = Duration.seconds(15)

    private let hosts: CurrentHosts
    private let caller: any RelayCaller
    private let deadline: Duration
    private let slowAnswer: Duration
    private let now: @Sendable () -> Int64
    private let uptime: @Sendable () -> Duration
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let inFlight = Mutex(NotificationsInFlight())
    private let rests = Mutex(HostRests())
    private let shares = Mutex(HostShares())
    private let unknown: UnknownAddressMemory
    private let cards = Mutex(CardPace<String>())

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - deadline: The time limit of a request. Each request gets up to a fifth less, at random.
    ///   - slowAnswer: The time after which the answer of a relay that shares its lane counts as none for its rest.
    ///   - now: Seconds since 1970.
    ///   - uptime: The time since any fixed moment, which no change of a clock moves; `nil` for this machine's.
    ///   - jitter: Evenly distributed in 0..<1.
    ///   - store: The gateway's documents; `nil` if nothing is to outlive the process.
    package init(
        _ hosts: CurrentHosts, caller: any RelayCaller, deadline: Duration = .seconds(10),
        slowAnswer: Duration = .seconds(5), store: (any DocumentStore)? = nil,
        now: @escaping @Sendable () -> Int64,
        uptime: (@Sendable () -> Duration)? = nil, jitter: @escaping @Sendable () -> Double = Jitter.source(),
        logger: Logger
    ) {
        let start = ContinuousClock.now
        let elapsed: @Sendable () -> Duration = { start.duration(to: .now) }
        let uptime = uptime ?? elapsed
        self.uptime = uptime
        let records = store.map { store in
            UnknownAddressRecords(store: store) { Timestamp(microseconds: now() * 1_000_000) }
        }
        unknown = UnknownAddressMemory(records, uptime: uptime, logger: logger)
        self.hosts = hosts
        self.caller = caller
        self.deadline = deadline
        self.slowAnswer = slowAnswer
        self.now = now
        self.jitter = jitter
        self.logger = logger
    }

    /// The relays that are named, or the number of them.
    package var description: String {
        let servers = currentHosts.servers
        return servers.count == 1 ? "relay (\(servers[0]))" : "relays"
    }

    package var window: Int { Self.ownWindow }

    /// Returns the maximum number of notifications of a lane in flight.
    package func window(of lane: Lane) -> Int { isOfStrangers(lane) ? Self.sharedWindow : Self.ownWindow }

    /// Returns `true` for a lane that several relays may share.
    package func isOfStrangers(_ lane: Lane) -> Bool { !currentHosts.isOfOneRelay(lane) }

    /// `true`: a relay that is restored from a backup, or a phone that takes a secret away, makes new secrets.
    package var followsRegistrations: Bool { true }

    /// The relays that addresses may name.
    var currentHosts: RelayHosts { hosts.value }

    /// Replaces the relays that addresses may name.
    ///
    /// - Returns: `false` if they are the same.
    func replace(_ new: RelayHosts) -> Bool { hosts.replace(new) }

    /// Returns the message ready to seal, or a message that rejects every target.
    package func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        if let rejection = Self.rejectionByContent(of: message) { return RejectedMessage(rejection: rejection) }
        guard let content = RelayContent(of: message) else { return RejectedMessage(rejection: .payloadTooLarge) }
        return PreparedRelayMessage(self, message, content)
    }

    /// Gives up the notification's request, and keeps it from sending another one.
    package func cancel(_ id: NotificationID) -> Bool {
        if let body = inFlight.withLock({ $0.giveUp(id) }) { caller.cancel(body) }
        return true
    }

    /// Returns the rejection of a message to any address; `nil` if there is none.
    package static func rejection(of message: OutgoingMessage) -> Rejection? {
        guard message.lane.transport == .relay else { return nil }
        return rejectionByContent(of: message) ?? (RelayContent(of: message) == nil ? .payloadTooLarge : nil)
    }

    private static func rejectionByContent(of message: OutgoingMessage) -> Rejection? {
        message.message.apns?.liveActivityToken == nil ? nil : .liveActivity
    }
}

/// One notification.
extension AuthorRelayTransport {
    /// Sends a sealed message, unless its relay is not allowed, rests, or has used its share of the lane.
    func send(_ message: PreparedRelayMessage, _ notification: OutgoingNotification) async -> Outcome {
        inFlight.withLock { $0.begin(notification.id) }
        defer { inFlight.withLock { $0.end(notification.id) } }
        let token = notification.target.address.token
        guard let address = try? RelayAddress(token.value),
            let keys = try? RelayKeys(notification.target.address.attributes.secrets)
        else { return .rejected(.invalidRelayAddress) }
        let (server, lane) = (address.server, message.lane)
        guard (try? currentHosts.check(server)) != nil else { return .rejected(.relayNotAllowed) }
        if let wait = wait(of: message, to: token) { return .waiting(wait) }
        let request: RelayRequest
        do throws(CryptographyError) {
            request = try message.request(
                to: address, keys, for: notification, now: now(), deadline: deadline * (1 - jitter() / 5))
        } catch {
            logger.error("failed to seal a message for a relay", metadata: ["error": "\(error)"])
            return .failed(Failure(code: .internalError, reason: "CannotEncrypt"))
        }
        let delivery = Delivery(id: notification.id, token: token, isShared: isOfStrangers(lane))
        guard delivery.isShared else { return await deliver(request, delivery) }
        if let rest = rests.withLock({ $0.rest(of: restingName(of: server), at: now()) }) {
            return .failed(Failure(code: .serverUnavailable, reason: "RelayResting", retryAfter: rest))
        }
        switch shares.withLock({ $0.begin(restingName(of: server), at: uptime()) }) {
        case .later(let wait):
            return .failed(
                Failure(code: .serverUnavailable, reason: "RelayBusy", retryAfter: wait, isAttempt: false))
        case .now(let use):
            defer { shares.withLock { $0.end(use, at: uptime()) } }
            return await deliver(request, delivery)
        }
    }

    /// Returns the time for which an update of a card has to wait; `nil` if the message may go now. While it waits, a
    /// newer one takes its place.
    private func wait(of message: PreparedRelayMessage, to token: RegistrationToken) -> Duration? {
        guard let card = message.card else { return nil }
        let (name, time) = ("\(token.value) \(card.id)", Timestamp(microseconds: now() * 1_000_000))
        let mayWait = card.isUpdate && !message.isUrgent
        return cards.withLock { cards in
            guard !mayWait else { return cards.wait(of: name, atLeast: Self.cardInterval, at: time) }
            cards.note(name, at: time)
            return nil
        }
    }

    /// The facts of a notification that its outcome depends on.
    private struct Delivery {
        let id: NotificationID
        let token: RegistrationToken
        /// `true` if other relays may be in the lane.
        let isShared: Bool
    }

    private func deliver(_ request: RelayRequest, _ delivery: Delivery) async -> Outcome {
        guard inFlight.withLock({ $0.willSend(request.body, of: delivery.id) }) else {
            return .failed(Failure(code: .serverUnavailable, reason: "cancelled"))
        }
        let start = uptime()
        let result = await caller.answer(to: request)
        if delivery.isShared { note(result, of: request.server, isLate: uptime() - start > slowAnswer) }
        return await outcome(of: result, delivery)
    }

    private func outcome(
        of result: Result<RelayAnswer, RelayRequestError>, _ delivery: Delivery
    ) async -> Outcome {
        switch result {
        case .success(let answer):
            return answer.outcome(isPatient: await isPatient(after: answer, delivery))
        case .failure(let error) where error.isAddressRefused:
            // The code is that of a host without a connection: another one would tell a client which names have private
            // addresses here.
            return .failed(Failure(code: .serverUnavailable, reason: "AddressNotAllowed"))
        case .failure(let error):
            // Strangers name the hosts of shared lanes, and could fill the log.
            logger.log(
                level: delivery.isShared || error.isOwn ? .debug : .notice, "failed to get a response from a relay",
                metadata: ["error": "\(error.description)"])
            let laneFailure: LaneFailure? = !delivery.isShared && error.isWithoutConnection ? .unreachable : nil
            return .failed(Failure(code: .serverUnavailable, reason: error.kind, laneFailure: laneFailure))
        }
    }

    /// Takes note of an address that its relay does not know, or knows.
    ///
    /// - Returns: `false` if it was not known for a day.
    private func isPatient(after answer: RelayAnswer, _ delivery: Delivery) async -> Bool {
        switch answer.word {
        case .unknown: return await unknown.mayReturn(delivery.token)
        case .accepted, .gone, .unauthorized:
            await unknown.isKnown(delivery.token)
            return true
        case .later, .invalid, nil: return true
        }
    }
}

/// The relays that share lanes.
extension AuthorRelayTransport {
    /// Returns the name by which the rests of a relay, and its use of a lane, count. Strangers' hosts of one domain
    /// count together: a name below it that was not seen yet costs nothing. Each relay that the operator has named
    /// counts alone.
    private func restingName(of server: RelayServer) -> String {
        currentHosts.names(server.host) ? "\(server)" : HostLane.domain(of: server.host)
    }

    /// Takes note of the state of a relay.
    ///
    /// - Parameter isLate: `true` if the answer took so long that it counts as none.
    private func note(_ result: Result<RelayAnswer, RelayRequestError>, of server: RelayServer, isLate: Bool) {
        let name = restingName(of: server)
        let hasFailed: Bool
        switch result {
        case .success: hasFailed = isLate
        case .failure(let error):
            guard !error.isOwn else { return }
            hasFailed = true
        }
        let time = now()
        rests.withLock { rests in
            if hasFailed { rests.failed(name, at: time) } else { rests.answered(name) }
        }
    }
}

extension Outcome {
    /// Returns the outcome of a change that waits for its turn, without an attempt.
    fileprivate static func waiting(_ wait: Duration) -> Outcome {
        .failed(Failure(code: .serverUnavailable, reason: "CardWaits", retryAfter: wait, isAttempt: false))
    }
}

extension Rejection {
    /// The relay is none of the operator's, or has a port or an address that is not allowed. The registration stays:
    /// the settings may allow it later.
    static let relayNotAllowed = Rejection(code: .mismatchedCredential, reason: "RelayNotAllowed")
    /// The address has no secrets, or others than those of a relay's.
    static let invalidRelayAddress = Rejection(code: .invalidArgument, reason: "InvalidRelayAddress")
    /// A relay has no such messages.
    static let liveActivity = Rejection(code: .invalidArgument, reason: "LiveActivityNotRelayed")
}
