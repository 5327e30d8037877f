internal import HTTP2Client
internal import Messaging

/// A message with all that its targets share: the ways there, headers, payload.
struct PreparedAPNsMessage: PreparedMessage {
    let transport: APNsTransport
    let route: APNsRoute
    let secondRoute: APNsRoute?
    private let fields: [(name: String, value: String)]
    /// Those of the first route; another one's are made when it is taken.
    private let headers: PreparedHeaders
    let payload: APNsPayload
    /// Where it goes instead of to its target's own token.
    let liveActivityToken: RegistrationToken?
    /// Whether what Apple says of the token it says of the registration's, for the app that the registration is of. A Live
    /// Activity has a token of its own; and for another topic (one the message names, or one of a push type of its own,
    /// such as `voip`) a good token of the app's is a bad one.
    private let isForRegistration: Bool
    /// `true` if the topic is a configured app's bundle id, and nothing in the message has a say in it. When Apple then
    /// refuses the topic, it is the configuration that is wrong.
    private let hasConfiguredTopic: Bool

    init(transport: APNsTransport, routes: APNsRoutes, message: OutgoingMessage, payload: APNsPayload) {
        self.transport = transport
        (route, secondRoute) = routes.routes(for: message.lane)
        self.payload = payload
        liveActivityToken = message.message.apns?.liveActivityToken
        var headers = APNsHeaders.common(for: message, topic: route.topic, bundleID: route.bundleID)
        let topic = headers.first { $0.name == APNsHeaders.topicName }?.value
        isForRegistration = liveActivityToken == nil && topic == route.topic
        hasConfiguredTopic =
            isForRegistration && routes.isConfigured(bundleID: route.topic)
            && message.message.apns?.header(APNsHeaders.topicName) == nil
            && [.alert, .background].contains(APNsPushType(of: message.message))
        headers.append(("user-agent", "pushgate"))
        fields = headers
        self.headers = PreparedHeaders(origin: route.origin, fields)
    }

    /// Returns what all requests of this message by a route begin with.
    func headers(by route: APNsRoute) -> PreparedHeaders {
        route.origin == headers.origin ? headers : PreparedHeaders(origin: route.origin, fields)
    }

    func send(_ notification: OutgoingNotification) async -> Outcome {
        await withCheckedContinuation { continuation in
            send(notification) { continuation.resume(returning: $0) }
        }
    }

    func send(
        _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void
    ) {
        send(notification, completion)
    }

    private func send(_ notification: OutgoingNotification, _ completion: @escaping @Sendable (Outcome) -> Void) {
        transport.send(self, notification) { outcome in
            if hasConfiguredTopic, let failure = outcome.topicFailure { return completion(.failed(failure)) }
            completion(isForRegistration ? outcome : outcome.withoutDeath)
        }
    }
}

extension Outcome {
    /// The failure of the whole lane that it is when Apple refuses a configured topic; `nil` if it refuses something else.
    fileprivate var topicFailure: Failure? {
        guard case .rejected(let rejection) = self, ["BadTopic", "TopicDisallowed"].contains(rejection.reason) else {
            return nil
        }
        return Failure(code: .thirdPartyAuthError, reason: rejection.reason, laneTrouble: .refused)
    }
}

/// A message that cannot be sent to anyone.
struct RejectedMessage: PreparedMessage {
    let rejection: Rejection

    func send(_ notification: OutgoingNotification) async -> Outcome { .rejected(rejection) }
}
