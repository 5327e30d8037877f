public import HTTPTransport
internal import HTTPTypes
internal import JSON
public import Logging
public import Messaging
internal import Synchronization

/// Hands messages to Firebase Cloud Messaging, for registration tokens that Google made:
/// [`messages:send`](https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send), one request a
/// notification, under a service account of the tokens' own project.
///
/// FCM has no idempotency key, and does not tell a message sent again from another. So a device may show one twice when
/// FCM has taken it and that could not be known:
///
/// - the connection ended, or the deadline passed, between the request and its answer; and FCM may have taken what it
///   answers with 500 or 503. That is a failure, and the dispatcher sends again later;
/// - a connection that was in use before broke without a byte of the answer: libcurl itself sends once more, at once
///   (see ``HTTPClient``);
/// - the gateway ended between FCM's answer and the commit of it, and sends the rest of the chunk again when it starts.
///
/// Nothing else is sent again, but for a 401, with which FCM says that it has not looked at the message. A message of
/// which a second one should replace the first says so itself: by `apns-collapse-id`, or the `tag` of Android's or the
/// web's notification.
///
/// What a message says about its own life is handed on with what is left of it (``Messaging/Message/aged(bySeconds:)``).
public final class FCMRelayTransport: PushTransport {
    /// Google's own.
    public static let standardEndpoint = "https://fcm.googleapis.com"

    private let endpoint: String
    private let client: HTTPClient
    private let deadline: Duration
    private let now: @Sendable () -> Int64
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let sender: Mutex<FCMSender>

    /// As many as one HTTP/2 connection to Google carries.
    public let window = 100

    /// - Parameters:
    ///   - endpoint: scheme, host and port to send to instead of Google's. For stand-ins and proxies; access tokens come
    ///     from where the account says.
    ///   - deadline: how long one request may take. Up to a fifth is taken off, by chance: requests that left together for
    ///     a server that hangs do not all come back in one moment.
    ///   - now: seconds since 1970.
    ///   - jitter: evenly spread in 0..<1.
    public init(
        account: ServiceAccount, endpoint: String = standardEndpoint, client: HTTPClient,
        deadline: Duration = .seconds(30), now: @escaping @Sendable () -> Int64,
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, logger: Logger
    ) {
        self.endpoint = endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint
        self.client = client
        self.deadline = deadline
        self.now = now
        self.jitter = jitter
        self.logger = logger
        sender = Mutex(FCMSender(account, client: client, deadline: deadline, now: now, logger: logger))
    }

    public var description: String { "FCM (\(endpoint)), project \(sender.withLock(\.account.projectID))" }

    /// Sends under another account, or with another key, from the next message on. What was known of the old one, its
    /// access token and that it was refused, is forgotten.
    public func replace(_ account: ServiceAccount) {
        let new = FCMSender(account, client: client, deadline: deadline, now: now, logger: logger)
        sender.withLock { $0 = new }
    }

    public func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        let sender = sender.withLock { $0 }
        let age = message.acceptedAt.map { now() - $0 } ?? 0
        return PreparedFCMMessage(
            transport: self, tokens: sender.tokens,
            url: "\(endpoint)/v1/projects/\(sender.account.projectID)/messages:send",
            message: message.message.aged(bySeconds: age).json.object ?? [:],
            apns: message.message.apns)
    }

    // MARK: One notification

    /// Sends once; and once more at once under a new access token when the old one was not taken.
    fileprivate func send(_ message: PreparedFCMMessage, _ notification: OutgoingNotification) async -> Outcome {
        do {
            let token = try await message.tokens.token()
            let answer = try await perform(message, notification, token)
            guard answer.wantsNewAccessToken else { return answer.outcome }
            let another = try await message.tokens.token(insteadOf: token)
            return try await perform(message, notification, another).outcome
        } catch let error as AccessTokenError {
            return .failed(error.failure)
        } catch {
            return outcome(of: error)
        }
    }

    private func perform(
        _ message: PreparedFCMMessage, _ notification: OutgoingNotification, _ token: AccessToken
    ) async throws(HTTPClientError) -> FCMAnswer {
        let request = HTTPClientRequest(
            method: .post, url: message.url, headerFields: [.authorization: "Bearer \(token.value)"],
            sharedHeaderFields: Self.headerFields, body: message.body(for: notification.target.address.token),
            deadline: deadline * (1 - jitter() / 5))
        let response = try await client.execute(request)
        guard response.statusCode != 200 else { return .accepted }
        return FCMAnswer(
            status: response.statusCode, retryAfter: response.headerFields[.retryAfter], body: response.body)
    }

    private func outcome(of error: any Error) -> Outcome {
        guard let error = error as? HTTPClientError else {
            return .failed(Failure(code: .unknownError, reason: "UnknownError"))
        }
        logger.notice("no answer from FCM", metadata: ["error": "\(error)"])
        return .failed(Failure(code: .serverUnavailable, reason: "\(error.kind)", laneTrouble: error.laneTrouble))
    }

    /// The second asks for errors in the form that has codes, as the Admin SDKs do.
    private static let headerFields: SharedHeaderFields = {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name("x-goog-api-format-version") { fields[name] = "2" }
        return SharedHeaderFields(fields)
    }()
}

/// A message with all that its targets share.
private struct PreparedFCMMessage: PreparedMessage {
    let transport: FCMRelayTransport
    let tokens: AccessTokenSource
    let url: String
    /// Without a target.
    let message: JSONObject
    /// What of it is for Apple's devices.
    let apns: Message.APNsConfiguration?

    func send(_ notification: OutgoingNotification) async -> Outcome {
        let outcome = await transport.send(self, notification)
        return isForRegistration ? outcome : outcome.withoutDeath
    }

    /// FCM does not tell the registration's token from a Live Activity's.
    private var isForRegistration: Bool { apns?.liveActivityToken == nil }

    /// `{"message":{…,"token":…}}`.
    func body(for token: RegistrationToken) -> [UInt8] {
        var message = message
        message["token"] = .string(token.value)
        return JSONValue.object(["message": .object(message)]).serialized
    }
}

extension HTTPClientError {
    /// A URL that is none is everybody's: here nothing but the body is the message's own.
    fileprivate var laneTrouble: LaneTrouble? {
        kind == .invalidRequest ? .refused : isWithoutConnection ? .unreachable : nil
    }
}
