import Cryptography
package import Logging
package import Messaging
import Synchronization

/// A transport to the push services of browsers (RFC 8030), and to the distributors of UnifiedPush.
///
/// A push service has no idempotency key and cannot recognize a repeated message. A browser may get a message twice if
/// the service accepted it and the gateway could not know: the connection broke before the answer, or the gateway ended
/// before it had stored the outcome. The topic of a message with a collapse id lets the later copy replace one that was
/// not delivered yet, and its tag the one that is shown.
package final class WebPushTransport: PushTransport {
    /// The parts that a change of the settings replaces.
    package struct Sender: Sendable {
        let identity: SenderIdentity
        let form: WebPushPayload.Form
        let navigation: NavigationTemplate?

        /// Creates a sender.
        ///
        /// - Parameter navigation: The URL that notifications open; `nil` if messages alone say that.
        package init(identity: SenderIdentity, form: WebPushPayload.Form, navigation: NavigationTemplate?) {
            self.identity = identity
            self.form = form
            self.navigation = navigation
        }
    }

    /// The numbers of notifications of a lane in flight: of a main host, of a service without any, and of a lane that
    /// strangers' hosts share.
    private static let (mainWindow, serviceWindow, sharedWindow) = (500, 50, 4)

    private let sender: Mutex<Sender>
    private let client: WebPushClient
    private let policy: @Sendable () -> EndpointPolicy
    private let deadline: Duration
    private let sharedDeadline: Duration
    private let slowAnswer: Duration
    private let now: @Sendable () -> Int64
    private let uptime: @Sendable () -> Duration
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    /// The order of the notifications of each endpoint of a main host.
    let order = SubmissionOrder()
    private let inFlight = Mutex(NotificationsInFlight())
    private let rests = Mutex(HostRests())
    /// The use of the lanes of strangers' hosts.
    let shares = Mutex(HostShares())
    private let reports = Mutex<[ServiceProfile: IntervalLimit]>([:])

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - policy: Returns the rules for the servers of endpoints, which the client has too.
    ///   - deadline: The time limit of a request to a known service. Each request gets up to a fifth less, at random.
    ///   - sharedDeadline: The time limit of a request to any other host.
    ///   - slowAnswer: The time after which the answer of any other host counts as none for its rest.
    ///   - now: Seconds since 1970.
    ///   - uptime: The time since any fixed moment, which no change of a clock moves; `nil` for this machine's.
    ///   - jitter: Evenly distributed in 0..<1.
    package init(
        _ sender: Sender, client: WebPushClient, policy: @escaping @Sendable () -> EndpointPolicy,
        deadline: Duration = .seconds(30), sharedDeadline: Duration = .seconds(10), slowAnswer: Duration = .seconds(5),
        now: @escaping @Sendable () -> Int64, uptime: (@Sendable () -> Duration)? = nil,
        jitter: @escaping @Sendable () -> Double = Jitter.source(), logger: Logger
    ) {
        let start = ContinuousClock.now
        let elapsed: @Sendable () -> Duration = { start.duration(to: .now) }
        self.uptime = uptime ?? elapsed
        self.sender = Mutex(sender)
        self.client = client
        self.policy = policy
        self.deadline = deadline
        self.sharedDeadline = sharedDeadline
        self.slowAnswer = slowAnswer
        self.now = now
        self.jitter = jitter
        self.logger = logger
    }

    /// The operator's address.
    package var description: String { "Web Push (\(identity.subject))" }

    /// The identity of the gateway at push services.
    package var identity: SenderIdentity { sender.withLock(\.identity) }

    /// The maximum number of notifications of a known service in flight.
    package var window: Int { Self.mainWindow }

    /// Returns the maximum number of notifications of a lane in flight.
    package func window(of lane: Lane) -> Int {
        let name = lane.app.environment ?? ""
        if HostLane.isShared(name) { return Self.sharedWindow }
        return HostLane.isOfMainHost(name) ? Self.mainWindow : Self.serviceWindow
    }

    /// Returns `true` for the lane of hosts of no known service.
    package func isOfStrangers(_ lane: Lane) -> Bool { HostLane.isShared(lane.app.environment ?? "") }

    /// Replaces the sender, from the next message on. An identity that stays keeps its tokens.
    package func replace(_ new: Sender) {
        sender.withLock { old in
            let identity = new.identity.isSame(as: old.identity) ? old.identity : new.identity
            old = Sender(identity: identity, form: new.form, navigation: new.navigation)
        }
    }

    /// Returns the message ready to encrypt, or a message that rejects every target if it is too long.
    package func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        let sender = sender.withLock { $0 }
        guard let payload = WebPushPayload(of: message, sender.form, navigation: sender.navigation) else {
            return RejectedMessage(rejection: .payloadTooLarge)
        }
        return PreparedWebPushMessage(
            self, message, sender, payload: payload, headers: WebPushHeaders(of: message, now: now()))
    }

    /// Gives up the notification's request, and keeps it from sending another one.
    package func cancel(_ id: NotificationID) -> Bool {
        if let body = inFlight.withLock({ $0.giveUp(id) }) { client.cancel(body) }
        return true
    }

    /// Returns the rejection of a message to any subscription; `nil` if there is none.
    package static func rejection(of message: OutgoingMessage) -> Rejection? {
        guard message.lane.transport == .webPush else { return nil }
        return WebPushPayload(of: message, .declarative, navigation: nil) == nil ? .payloadTooLarge : nil
    }
}

/// One notification.
extension WebPushTransport {
    func begin(_ id: NotificationID) { inFlight.withLock { $0.begin(id) } }

    func end(_ id: NotificationID) { inFlight.withLock { $0.end(id) } }

    /// Notes a request that is about to be sent. Returns `false` if its notification is given up.
    func willSend(_ body: [UInt8], of id: NotificationID) -> Bool { inFlight.withLock { $0.willSend(body, of: id) } }

    func isGivenUp(_ id: NotificationID) -> Bool { inFlight.withLock { $0.isGivenUp(id) } }

    /// Returns the rules for the server of an endpoint.
    func check(_ endpoint: WebPushEndpoint) -> Rejection? {
        (try? policy().check(endpoint)) == nil ? .endpointNotAllowed : nil
    }

    /// Returns the time for which an endpoint's host gets no request; `nil` if it gets one.
    func rest(of endpoint: WebPushEndpoint) -> Duration? {
        guard !endpoint.isAtMainHost else { return nil }
        return rests.withLock { $0.rest(of: restingName(of: endpoint), at: now()) }
    }

    /// Returns the name by which the rests of an endpoint's host count. Strangers' hosts of one domain rest together: a
    /// name below it that was not seen yet costs nothing. No stranger makes names for a known service, or for a host
    /// that the operator has named, so each of those rests alone.
    private func restingName(of endpoint: WebPushEndpoint) -> String {
        let restsAlone = endpoint.profile != .plain || policy().names(endpoint.host)
        return restsAlone ? endpoint.host : HostLane.domain(of: endpoint.host)
    }

    /// Returns the turn of a message to an endpoint's host; `nil` if its lane is no lane that strangers' hosts share.
    func turn(at endpoint: WebPushEndpoint, in lane: Lane) -> HostShares.Turn? {
        guard isOfStrangers(lane) else { return nil }
        return shares.withLock { $0.begin(sharingName(of: endpoint), at: uptime()) }
    }

    /// Ends the use of a place in such a lane.
    func end(_ use: HostShares.Use) { shares.withLock { $0.end(use, at: uptime()) } }

    /// Returns the name by which the use of a lane counts: that of the domain, as for rests. Servers that the operator
    /// has named count alone.
    private func sharingName(of endpoint: WebPushEndpoint) -> String {
        policy().names(endpoint.host) ? endpoint.origin : HostLane.domain(of: endpoint.host)
    }

    /// Sends a request, and takes note of the host's state.
    func answer(to request: WebPushRequest) async -> Result<WebPushAnswer, WebPushRequestError> {
        let (start, endpoint) = (ContinuousClock.now, request.endpoint)
        let result = await client.answer(to: request, now: now())
        note(result, from: endpoint, isLate: start.duration(to: .now) > slowAnswer)
        return result
    }

    /// Returns `true` if a request to an endpoint may be one of several that ``submit(_:)`` sends.
    func mayBeSubmitted(to endpoint: WebPushEndpoint) -> Bool { client.usesHTTP2(for: endpoint, at: now()) }

    /// Sends requests to main hosts, all at once, and takes note of what the answers say about the sender.
    func submit(_ submissions: [WebPushClient.Submission]) {
        client.submit(
            submissions.map { submission in
                WebPushClient.Submission(request: submission.request) { [self] result in
                    if let result { note(result, from: submission.request.endpoint) }
                    submission.completion(result)
                }
            }, now: now())
    }

    /// Takes note of the state of an endpoint's host.
    ///
    /// - Parameter isLate: `true` if the answer took so long that it counts as none.
    private func note(
        _ result: Result<WebPushAnswer, WebPushRequestError>, from endpoint: WebPushEndpoint, isLate: Bool = false
    ) {
        let isMain = endpoint.isAtMainHost
        switch result {
        case .success(let answer):
            if !isMain { noteAnswer(of: endpoint, isLate: isLate) }
            if answer.refusesSender { report(answer, from: endpoint) }
        case .failure(let error):
            if !isMain, !error.isOwn { rests.withLock { $0.failed(restingName(of: endpoint), at: now()) } }
            // Strangers name the other hosts, and could fill the log.
            logger.log(
                level: isMain && !error.isOwn ? .notice : .debug, "failed to get a response from a push service",
                metadata: ["error": "\(error)"])
        }
    }

    /// Ends the rests of an endpoint's host. One that takes nearly the whole time limit to answer rests like one that
    /// does not answer.
    private func noteAnswer(of endpoint: WebPushEndpoint, isLate: Bool) {
        let name = restingName(of: endpoint)
        rests.withLock { rests in
            if isLate { rests.failed(name, at: now()) } else { rests.answered(name) }
        }
    }

    /// Returns the time limit of a request to an endpoint.
    func deadline(for endpoint: WebPushEndpoint) -> Duration {
        (endpoint.isAtMainHost ? deadline : sharedDeadline) * (1 - jitter() / 5)
    }

    /// Returns the seconds since a message was accepted.
    func age(of message: OutgoingMessage) -> Int64 { message.acceptedAt.map { max(0, now() - $0) } ?? 0 }

    /// Notes that a message was encrypted again in fewer bytes.
    func noteShortenedBody() { WebPushMetrics.recordShortenedBody() }

    /// Reports that a message could not be encrypted, or the sender's token not be signed.
    func report(_ error: CryptographyError) {
        logger.error("failed to encrypt a message for a subscription", metadata: ["error": "\(error)"])
    }

    /// Reports that a known service refuses the sender, once an hour for each service. Only a main host counts, if the
    /// service has any.
    private func report(_ answer: WebPushAnswer, from endpoint: WebPushEndpoint) {
        guard endpoint.isOfKnownService else { return }
        let (profile, time) = (endpoint.profile, now())
        let isDue = reports.withLock { $0[profile, default: .hourly].admit(at: time) }
        guard isDue else { return }
        logger.warning(
            "received a refusal of the sender from a push service; check webpush.subject, the key and the clock",
            metadata: ["host": "\(endpoint.host)", "status": "\(answer.status)", "reason": "\(answer.reason)"])
    }
}

extension Rejection {
    /// The endpoint has a port, a name or an address that is not allowed. The registration stays: the settings may
    /// allow it later.
    static let endpointNotAllowed = Rejection(code: .mismatchedCredential, reason: "EndpointNotAllowed")
    /// The address has no keys, or others than those of a subscription.
    static let invalidSubscription = Rejection(code: .invalidArgument, reason: "InvalidSubscription")
}
