package import HTTPClient
import HTTPTypes
import JSON
package import Logging
package import Messaging
import Synchronization

/// A transport to Firebase Cloud Messaging, for registration tokens that Google made.
///
/// It calls [`messages:send`](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send), one
/// request for each notification, under a service account of the tokens' own project.
///
/// FCM has no idempotency key and cannot recognize a repeated message. A device may show a message twice if FCM
/// accepted it and the gateway could not know:
///
/// - The connection ended, or the deadline passed, between the request and its answer; or FCM answered 500 or 503
///   after accepting the message. That is a failure, and the dispatcher sends again later.
/// - A connection that was in use before broke without a byte of the answer. libcurl itself sends once more,
///   immediately (see ``HTTPClient``).
/// - The gateway ended between FCM's answer and its commit. It sends the rest of the chunk again after the start.
///
/// Nothing else is sent again, except after a 401, which means that FCM has not looked at the message. A message can
/// ask to replace an earlier copy by `apns-collapse-id`, or by the `tag` of Android's or the web's notification.
///
/// A relative lifetime in a message is reduced by the time already passed (``Messaging/Message/aged(bySeconds:)``).
package final class FCMRelayTransport: PushTransport {
    /// Google's endpoint.
    package static let standardEndpoint = "https://fcm.googleapis.com"

    private let endpoint: String
    private let client: HTTPClient
    private let deadline: Duration
    private let now: @Sendable () -> Int64
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let sender: Mutex<FCMSender>

    /// The maximum number of notifications in flight: the streams of one HTTP/2 connection to Google.
    package let window = 100

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - endpoint: scheme, host and port that replace Google's, for stand-ins and proxies. Access tokens still
    ///     come from the URL in the account.
    ///   - deadline: the time limit of one request. Each request gets up to a fifth less, at random: requests sent
    ///     together to a server that hangs do not all return at the same moment.
    ///   - now: seconds since 1970.
    ///   - jitter: evenly distributed in 0..<1.
    package init(
        account: ServiceAccount, endpoint: String = standardEndpoint, client: HTTPClient,
        deadline: Duration = .seconds(30), now: @escaping @Sendable () -> Int64,
        jitter: @escaping @Sendable () -> Double = Jitter.source(), logger: Logger
    ) {
        self.endpoint = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        self.client = client
        self.deadline = deadline
        self.now = now
        self.jitter = jitter
        self.logger = logger
        sender = Mutex(FCMSender(account, client: client, deadline: deadline, now: now, logger: logger))
    }

    /// The endpoint and the project.
    package var description: String { "FCM (\(endpoint)), project \(sender.withLock(\.account.projectID))" }

    /// Replaces the account or its key, from the next message on. The old account's access token and its refusals are
    /// forgotten.
    package func replace(_ account: ServiceAccount) {
        let new = FCMSender(account, client: client, deadline: deadline, now: now, logger: logger)
        sender.withLock { $0 = new }
    }

    /// Returns the message ready to send to the project's endpoint.
    package func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        let sender = sender.withLock { $0 }
        let age = message.acceptedAt.map { now() - $0 } ?? 0
        return PreparedFCMMessage(
            transport: self, tokens: sender.tokens,
            url: "\(endpoint)/v1/projects/\(sender.account.projectID)/messages:send",
            message: message.message.aged(bySeconds: age).json.object ?? [:],
            apns: message.message.apns)
    }

    /// Returns the reason why Google gives no access token; `nil` if it gives one.
    package func accessProblem() async -> String? {
        do throws(AccessTokenError) {
            _ = try await sender.withLock(\.tokens).token()
            return nil
        } catch {
            return error.reason
        }
    }

    // MARK: One notification

    /// Sends once, and once more immediately with a new access token if FCM refused the old one.
    fileprivate func send(_ message: PreparedFCMMessage, _ notification: OutgoingNotification) async -> Outcome {
        do throws(AccessTokenError) {
            let token = try await message.tokens.token()
            let result = await perform(message, notification, token)
            guard case .success(let answer) = result, answer.wantsNewAccessToken else { return outcome(of: result) }
            let another = try await message.tokens.token(insteadOf: token)
            return outcome(of: await perform(message, notification, another))
        } catch {
            return .failed(error.failure)
        }
    }

    private func perform(
        _ message: PreparedFCMMessage, _ notification: OutgoingNotification, _ token: AccessToken
    ) async -> Result<FCMAnswer, HTTPClientError> {
        var request = HTTPClientRequest(
            method: .post, url: message.url, headerFields: [.authorization: "Bearer \(token.value)"],
            body: message.body(for: notification.target.address.token), deadline: deadline * (1 - jitter() / 5))
        request.sharedHeaderFields = Self.headerFields
        do throws(HTTPClientError) {
            let response = try await client.execute(request)
            guard response.statusCode != 200 else { return .success(.accepted) }
            return .success(
                FCMAnswer(
                    status: response.statusCode, retryAfter: response.headerFields[.retryAfter], body: response.body))
        } catch {
            return .failure(error)
        }
    }

    private func outcome(of result: Result<FCMAnswer, HTTPClientError>) -> Outcome {
        switch result {
        case .success(let answer): return answer.outcome
        case .failure(let error):
            logger.notice("failed to get a response from FCM", metadata: ["error": "\(error)"])
            return .failed(Failure(code: .serverUnavailable, reason: "\(error.kind)", laneFailure: error.laneFailure))
        }
    }

    /// The second field requests errors with codes, as the Admin SDKs do.
    private static let headerFields: SharedHeaderFields = {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name("x-goog-api-format-version") { fields[name] = "2" }
        return SharedHeaderFields(fields)
    }()
}

/// A message with everything that its targets share.
private struct PreparedFCMMessage: PreparedMessage {
    let transport: FCMRelayTransport
    let tokens: AccessTokenSource
    let url: String
    /// The message without a target.
    let message: JSONObject
    /// The part for Apple's devices.
    let apns: Message.APNsConfiguration?

    func send(_ notification: OutgoingNotification) async -> Outcome {
        let outcome = await transport.send(self, notification)
        return isForRegistration ? outcome : outcome.keepingRegistration
    }

    /// `true` if a verdict on the token applies to the registration. FCM does not tell the registration's token from
    /// a Live Activity's.
    private var isForRegistration: Bool { apns?.liveActivityToken == nil }

    /// Returns `{"message":{…,"token":…}}`.
    func body(for token: RegistrationToken) -> [UInt8] {
        var message = message
        message["token"] = .string(token.value)
        return JSONValue.object(["message": .object(message)]).serialized
    }
}

extension HTTPClientError {
    /// The failure of the whole lane; `nil` if the error concerns one request. An invalid URL, or a host without a
    /// connection, affects all messages: all have the same URL, and only the body is a message's own. A transport whose
    /// targets have hosts of their own must not do the same.
    fileprivate var laneFailure: LaneFailure? {
        kind == .invalidRequest ? .refused : isWithoutConnection ? .unreachable : nil
    }
}

/// An account with the source of its access tokens.
struct FCMSender: Sendable {
    let account: ServiceAccount
    let tokens: AccessTokenSource

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - deadline: the time limit for fetching an access token.
    ///   - now: seconds since 1970.
    init(
        _ account: ServiceAccount, client: HTTPClient, deadline: Duration, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.account = account
        let endpoint = GoogleTokenEndpoint(
            account: account, client: client, deadline: deadline, now: now, logger: logger)
        tokens = AccessTokenSource(now: now, logger: logger, fetch: endpoint.fetch)
    }
}
