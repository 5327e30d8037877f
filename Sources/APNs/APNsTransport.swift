import Cryptography
import DocumentStore
package import HTTP2Client
package import Logging
package import Messaging
import Synchronization

/// A transport to the Apple Push Notification service: HTTP/2, one request for each notification, a provider token on
/// each.
package final class APNsTransport: PushTransport {
    private let client: HTTP2Client
    private let deadline: Duration
    private let now: @Sendable () -> Int64
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let routes: Mutex<APNsRoutes>
    private let clockWatch = Mutex(ClockWatch())

    /// The maximum number of notifications in flight.
    package let window: Int

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - deadline: the time limit of one request. Each request gets up to a fifth less, at random: requests sent
    ///     together to a server that hangs do not all return at the same moment.
    ///   - window: the maximum number of notifications in flight: as many as the client's connections carry
    ///     streams.
    ///   - now: seconds since 1970.
    ///   - jitter: evenly distributed in 0..<1.
    package init(
        apps: APNsApps, client: HTTP2Client, deadline: Duration = .seconds(30), window: Int,
        now: @escaping @Sendable () -> Int64, jitter: @escaping @Sendable () -> Double = Jitter.source(),
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

    /// The apps, and the proxy if requests go through one.
    package var description: String {
        let routes = routes.withLock { $0 }
        return routes.description + (client.proxy(for: routes.standardOrigin).map { ", through \($0)" } ?? "")
    }

    /// Replaces the apps and keys, from the next message on. A key that stays keeps its provider token.
    package func replace(_ apps: APNsApps) {
        routes.withLock { $0 = APNsRoutes(apps, replacing: $0, now: now) }
    }

    /// The apps that the transport sends for.
    package var apps: APNsApps { routes.withLock(\.apps) }

    /// Returns `true` if the gateway sends to an app's topic. Notifications for other topics are rejected.
    package func sends(to topic: String) -> Bool { routes.withLock { $0.sends(to: topic) } }

    /// Returns the lane with the topic and environment that the configuration gives it.
    package func resolved(_ lane: Lane) -> Lane {
        let route = routes.withLock { $0 }.routes(for: lane).first
        return Lane(transport: lane.transport, app: route.app)
    }

    /// Returns the message ready to send, or a message that rejects every target if APNs cannot accept it.
    package func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        let routes = routes.withLock { $0 }
        guard message.lane.app.bundleID.map(routes.sends) ?? true else {
            return RejectedMessage(rejection: .appNotConfigured)
        }
        guard let payload = APNsPayload(of: message) else {
            return RejectedMessage(rejection: .payloadTooLarge)
        }
        guard message.message.apns?.liveActivityToken?.isHexadecimal ?? true else {
            return RejectedMessage(rejection: Rejection(code: .invalidArgument, reason: "BadDeviceToken"))
        }
        return PreparedAPNsMessage(transport: self, routes: routes, message: message, payload: payload)
    }

    /// Resets the notification's stream. A later one to the same device follows on the same connection.
    package func cancel(_ id: NotificationID) -> Bool {
        client.cancel { request in
            request.fields.contains { $0.name == APNsHeaders.idName && $0.value == id.description }
        }
        return true
    }

    // MARK: Requests

    /// The answer to a request, or the reason for a missing one.
    typealias Answer = Result<APNsAnswer, RequestError>

    /// A reason for a missing answer.
    enum RequestError: Error {
        case client(HTTP2ClientError)
        /// A failure to sign a provider token.
        case signature(CryptographyError)
    }

    /// Sends a request for a notification.
    ///
    /// - Parameters:
    ///   - isOnNewConnection: `true` to avoid the connections that have brought answers.
    ///   - completion: called with the result of the request, on the client's event loop.
    /// - Throws: an error if there is no provider token. Nothing is sent then.
    func send(
        _ message: PreparedAPNsMessage, _ notification: OutgoingNotification, by route: APNsRoute,
        isOnNewConnection: Bool, completion: @escaping HTTP2Client.Completion
    ) throws(CryptographyError) {
        let token = message.liveActivityToken ?? notification.target.address.token
        let request = HTTP2Request(
            message.headers(by: route), path: token.value,
            fields: [
                HTTP2Request.Field("authorization", try route.tokens.authorization(), isRepeated: true),
                HTTP2Request.Field(APNsHeaders.idName, notification.id.description),
            ],
            body: message.payload(for: notification),
            deadline: deadline * (1 - jitter() / 5), connectionGroup: route.tokens.connectionGroup,
            usesNewConnection: isOnNewConnection, keepsOrder: true, responseFields: answerFields())
        client.execute(request, completion: completion)
    }

    /// Calls a closure that sends many requests, which are written together.
    func sendMany(_ body: @escaping @Sendable () -> Void) { client.executeMany(body) }

    /// Returns the answer in the result of a request.
    func answer(in result: Result<HTTP2Response, HTTP2ClientError>) -> Answer {
        switch result {
        case .success(let response): .success(answer(response))
        case .failure(let error): .failure(.client(error))
        }
    }

    private func answer(_ response: HTTP2Response) -> APNsAnswer {
        compareClocks(response)
        return response.statusCode == 200 ? .accepted : APNsAnswer(response)
    }

    // MARK: Channels

    /// The broadcast channels of the apps.
    package var channels: APNsChannels { APNsChannels(transport: self) }

    /// Returns the first route for an app; `nil` if the gateway does not send for it.
    func channelRoute(of app: AppIdentity) -> APNsRoute? {
        let routes = routes.withLock { $0 }
        guard app.bundleID.map(routes.sends) ?? true else { return nil }
        return routes.routes(for: Lane(transport: .apns, app: app)).first
    }

    /// Sends a request about channels. Broadcasts of an app arrive in their order.
    ///
    /// - Parameter isOnNewConnection: `true` to avoid the connections that have brought answers.
    func send(
        _ request: APNsChannelRequest, to origin: HTTP2Origin, by route: APNsRoute, isOnNewConnection: Bool = false
    ) async -> Result<HTTP2Response, RequestError> {
        let authorization: String
        do throws(CryptographyError) {
            authorization = try route.tokens.authorization()
        } catch {
            return .failure(.signature(error))
        }
        let headers = PreparedHeaders(method: request.method, origin: origin, [("user-agent", "pushgate")])
        let fields = [HTTP2Request.Field("authorization", authorization, isRepeated: true)] + request.fields
        do throws(HTTP2ClientError) {
            let response = try await client.execute(
                HTTP2Request(
                    headers, path: request.path(for: route.bundleID), fields: fields, body: request.body,
                    deadline: deadline * (1 - jitter() / 5), connectionGroup: route.tokens.connectionGroup,
                    usesNewConnection: isOnNewConnection, keepsOrder: request.call == .publish))
            if clockWatch.withLock({ $0.isDue(at: now()) }) { compareClocks(response) }
            return .success(response)
        } catch {
            return .failure(.client(error))
        }
    }

    /// Returns the names of the fields of an answer that are read. The time is compared once a minute.
    private func answerFields() -> [String] {
        let time = now()
        return clockWatch.withLock({ $0.isDue(at: time) }) ? APNsHeaders.ofDatedAnswer : APNsHeaders.ofAnswer
    }

    /// Compares the time of an answer, if it was asked for, with this machine's.
    private func compareClocks(_ response: HTTP2Response) {
        guard let date = response.value(of: APNsHeaders.dateName).flatMap(HTTPDate.seconds) else { return }
        let time = now()
        guard let report = clockWatch.withLock({ $0.report(date: date, now: time) }) else { return }
        logger.warning("\(report)")
    }

    /// Reports that APNs calls a provider token expired.
    func reportExpiredToken() {
        logger.warning("sent a provider token that APNs calls expired; check this machine's clock")
    }

    /// Returns the outcome that an answer stands for, and reports a missing one.
    func outcome(of answer: Answer) -> Outcome {
        switch answer {
        case .success(let answer): return answer.outcome
        case .failure(.client(let error)):
            logger.notice("failed to get a response from APNs", metadata: ["error": "\(error)"])
            return .failed(
                Failure(
                    code: .serverUnavailable, reason: error.reason,
                    laneFailure: error.isWithoutConnection ? .unreachable : nil))
        case .failure(.signature(let error)):
            logger.error("failed to sign a provider token", metadata: ["error": "\(error)"])
            return .failed(
                Failure(code: .thirdPartyAuthError, reason: "CannotSignProviderToken", laneFailure: .refused))
        }
    }
}

extension APNsTransport {
    /// Returns the reason why APNs rejects a message for every target; `nil` if it does not. Stand-ins for APNs use
    /// it.
    @Sendable
    package static func rejection(of message: OutgoingMessage) -> Rejection? {
        APNsPayload(of: message) == nil ? .payloadTooLarge : nil
    }
}

extension Rejection {
    /// The rejection of a message for an app that is not configured. The registration stays: its app may be
    /// configured later.
    static let appNotConfigured = Rejection(code: .mismatchedCredential, reason: "AppNotConfigured")
}
