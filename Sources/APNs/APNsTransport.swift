internal import Cryptography
internal import DocumentStore
public import HTTP2Client
public import Logging
public import Messaging
internal import Synchronization

/// Sends to Apple Push Notification service: HTTP/2, one request a notification, a provider token on each.
public final class APNsTransport: PushTransport {
    private let client: HTTP2Client
    private let deadline: Duration
    private let now: @Sendable () -> Int64
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let routes: Mutex<APNsRoutes>
    private let clockWatch = Mutex(ClockWatch())

    public let window: Int

    /// - Parameters:
    ///   - deadline: how long one request may take. Up to a fifth is taken off, by chance: requests that left together for
    ///     a server that hangs do not all come back in one moment.
    ///   - window: how many notifications may be on their way at once: as many as the client's connections carry streams.
    ///   - now: seconds since 1970.
    ///   - jitter: evenly spread in 0..<1.
    public init(
        apps: APNsApps, client: HTTP2Client, deadline: Duration = .seconds(30), window: Int,
        now: @escaping @Sendable () -> Int64, jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        logger: Logger
    ) {
        self.client = client
        self.deadline = deadline
        self.window = window
        self.now = now
        self.jitter = jitter
        self.logger = logger
        routes = Mutex(APNsRoutes(apps, now: now))
    }

    public var description: String {
        let routes = routes.withLock { $0 }
        return routes.description + (client.proxy(for: routes.standardOrigin).map { ", through \($0)" } ?? "")
    }

    /// Sends for other apps, or with other keys, from the next message on. A key that stays keeps its provider token.
    public func replace(_ apps: APNsApps) {
        routes.withLock { $0 = APNsRoutes(apps, replacing: $0, now: now) }
    }

    /// Returns whether an app's topic is sent to; notifications for others are rejected.
    public func sends(to topic: String) -> Bool { routes.withLock { $0.sends(to: topic) } }

    public func resolved(_ lane: Lane) -> Lane {
        let route = routes.withLock { $0 }.routes(for: lane).first
        return Lane(transport: lane.transport, topic: route.topic, environment: route.environment)
    }

    public func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        let routes = routes.withLock { $0 }
        guard message.lane.topic.map(routes.sends) ?? true else { return RejectedMessage(rejection: .appNotConfigured) }
        guard let payload = APNsPayload(of: message) else {
            return RejectedMessage(rejection: .payloadTooLarge)
        }
        guard message.message.apns?.liveActivityToken?.isHexadecimal ?? true else {
            return RejectedMessage(rejection: Rejection(code: .invalidArgument, reason: "BadDeviceToken"))
        }
        return PreparedAPNsMessage(transport: self, routes: routes, message: message, payload: payload)
    }

    // MARK: One notification

    typealias Completion = @Sendable (Outcome) -> Void

    /// Sends by the first route; and by the second where the first does not know the token, which then need not be dead.
    func send(_ message: PreparedAPNsMessage, _ notification: OutgoingNotification, _ completion: @escaping Completion)
    {
        send(message, notification, by: message.route) { [self] first in
            guard first.isUnknownToken, let route = message.secondRoute else { return completion(first) }
            send(message, notification, by: route) { second in
                completion(Self.outcome(first, then: second, by: route))
            }
        }
    }

    private static func outcome(_ first: Outcome, then second: Outcome, by route: APNsRoute) -> Outcome {
        switch second {
        case .accepted: return .accepted(Acceptance(environment: route.environment))
        // Whether the token is of that environment is not known, and the lane's own route is not to blame.
        case .failed(let failure) where failure.code == .thirdPartyAuthError && !failure.isPassing:
            return .rejected(Rejection(code: .invalidRegistrationToken, reason: failure.reason))
        case .failed(let failure):
            return .failed(Failure(code: failure.code, reason: failure.reason, retryAfter: failure.retryAfter))
        case .rejected(let rejection) where rejection.code == .registrationTokenNotRegistered:
            return .rejected(rejection)
        default: return first
        }
    }

    /// Sends once; and once more at once when the connection did not bring an answer, or had been spoiled by a provider
    /// token too old. Whether a notification on a connection that was lost has been taken cannot be known; it keeps its id.
    private func send(
        _ message: PreparedAPNsMessage, _ notification: OutgoingNotification, by route: APNsRoute,
        _ completion: @escaping Completion
    ) {
        perform(message, notification, by: route) { [self] answer in
            if case .success(let answer) = answer, answer.wantsNewProviderToken {
                logger.warning("APNs found the provider token expired; check this machine's clock")
                perform(message, notification, by: route, onNewConnection: true) { completion(self.outcome(of: $0)) }
            } else if case .failure(.client(let error)) = answer, error.isOfConnection {
                perform(message, notification, by: route) { completion(self.outcome(of: $0)) }
            } else {
                completion(outcome(of: answer))
            }
        }
    }

    private func perform(
        _ message: PreparedAPNsMessage, _ notification: OutgoingNotification, by route: APNsRoute,
        onNewConnection: Bool = false, _ completion: @escaping @Sendable (Result<APNsAnswer, RequestError>) -> Void
    ) {
        let request: HTTP2Request
        do {
            request = try self.request(message, notification, by: route, onNewConnection: onNewConnection)
        } catch {
            return completion(.failure(.signature("\(error)")))
        }
        client.execute(request) { [self] result in
            completion(result.map(answer).mapError(RequestError.client))
        }
    }

    private func request(
        _ message: PreparedAPNsMessage, _ notification: OutgoingNotification, by route: APNsRoute, onNewConnection: Bool
    ) throws -> HTTP2Request {
        let token = message.liveActivityToken ?? notification.target.address.token
        return HTTP2Request(
            message.headers(by: route), path: "/3/device/" + token.value,
            fields: [
                HTTP2Request.Field("authorization", "bearer \(try route.tokens.token())", isRepeated: true),
                HTTP2Request.Field(APNsHeaders.idName, notification.id.description),
            ],
            body: message.payload.bytes(installationID: notification.installationID),
            deadline: deadline * (1 - jitter() / 5), connectionGroup: route.tokens.connectionGroup,
            usesNewConnection: onNewConnection)
    }

    private func answer(_ response: HTTP2Response) -> APNsAnswer {
        compareClocks(response)
        guard response.statusCode != 200 else { return .accepted }
        return APNsAnswer(
            status: response.statusCode, retryAfter: response.value(of: "retry-after"), body: response.body)
    }

    private func compareClocks(_ response: HTTP2Response) {
        let time = now()
        guard clockWatch.withLock({ $0.isDue(at: time) }),
            let date = response.value(of: "date").flatMap(HTTPDate.seconds),
            let report = clockWatch.withLock({ $0.report(date: date, now: time) })
        else { return }
        logger.warning("\(report)")
    }

    /// The reason for which there is no answer.
    private enum RequestError: Error {
        case client(HTTP2ClientError)
        /// A provider token could not be signed.
        case signature(String)
    }

    private func outcome(of answer: Result<APNsAnswer, RequestError>) -> Outcome {
        switch answer {
        case .success(let answer): return answer.outcome
        case .failure(.client(let error)):
            logger.notice("no answer from APNs", metadata: ["error": "\(error)"])
            return .failed(
                Failure(
                    code: .serverUnavailable, reason: error.reason,
                    laneTrouble: error.isWithoutConnection ? .unreachable : nil))
        case .failure(.signature(let error)):
            logger.error("could not sign a provider token", metadata: ["error": "\(error)"])
            return .failed(
                Failure(code: .thirdPartyAuthError, reason: "CannotSignProviderToken", laneTrouble: .refused))
        }
    }
}

extension HTTP2ClientError {
    /// A Boolean value indicating whether the connection did not bring an answer, which another may.
    fileprivate var isOfConnection: Bool { kind == .refused || kind == .connectionLost }
}
