import HTTP2Client
import Messaging

/// A message with everything that its targets share: routes, headers, payload. It is a class, because the callbacks of
/// each target would copy all these parts of a value.
final class PreparedAPNsMessage: PreparedMessage {
    let transport: APNsTransport
    let route: APNsRoute
    let secondRoute: APNsRoute?
    private let fields: [(name: String, value: String)]
    /// The headers for the first route. Those for the second are created when it is used.
    private let headers: PreparedHeaders
    private let payload: APNsPayload
    /// The payload for apps that report what arrives; `nil` if it is that of all others.
    private let payloadWithReceipt: APNsPayload?
    /// The token of a Live Activity, which replaces the target's own token.
    let liveActivityToken: RegistrationToken?
    /// `true` if Apple's verdict on the token applies to the registration. A Live Activity has a token of its own.
    /// For another topic (one that the message names, or one of a push type such as `voip`) Apple rejects a valid
    /// token of the app.
    private let isForRegistration: Bool
    /// `true` if the topic is a configured app's bundle id, and no part of the message changes it. If Apple refuses
    /// such a topic, the configuration is wrong.
    private let hasConfiguredTopic: Bool

    init(transport: APNsTransport, routes: APNsRoutes, message: OutgoingMessage, payload: APNsPayload) {
        let (route, secondRoute) = routes.routes(for: message.lane)
        let activityToken = message.message.apns?.liveActivityToken
        var fields = APNsHeaders.common(for: message, topic: route.topic, bundleID: route.bundleID)
        let topic = fields.first { $0.name == APNsHeaders.topicName }?.value
        let isForRegistration = activityToken == nil && topic == route.topic
        fields.append(("user-agent", "pushgate"))
        self.transport = transport
        self.route = route
        self.secondRoute = secondRoute
        self.fields = fields
        headers = PreparedHeaders(origin: route.origin, pathPrefix: APNsHeaders.pathPrefix, fields)
        self.payload = payload
        payloadWithReceipt = activityToken == nil ? APNsPayload(withReceiptOf: message) : nil
        liveActivityToken = activityToken
        self.isForRegistration = isForRegistration
        hasConfiguredTopic =
            isForRegistration && routes.isConfigured(bundleID: route.topic)
            && message.message.apns?.header(APNsHeaders.topicName) == nil
            && [.alert, .background].contains(APNsPushType(of: message.message))
    }

    /// Returns the payload for one target.
    func payload(for notification: OutgoingNotification) -> [UInt8] {
        let payload = notification.asksForReceipt ? payloadWithReceipt ?? payload : payload
        return payload.bytes(installationID: notification.installationID)
    }

    /// Returns the header fields that all requests of this message by a route share.
    func headers(by route: APNsRoute) -> PreparedHeaders {
        route.origin == headers.origin
            ? headers : PreparedHeaders(origin: route.origin, pathPrefix: APNsHeaders.pathPrefix, fields)
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

    /// Calls the closure on the event loop of the connections, which would wake up for every few requests of another
    /// thread, and write them by themselves.
    func sendMany(_ body: @escaping @Sendable () -> Void) { transport.sendMany(body) }

    private func send(_ notification: OutgoingNotification, _ completion: @escaping @Sendable (Outcome) -> Void) {
        APNsFlight(of: self, notification, completion: completion).begin()
    }

    /// Returns the outcome of a notification with its consequences for the lane and for the registration.
    func conclusion(_ outcome: Outcome) -> Outcome {
        if hasConfiguredTopic, let failure = outcome.topicFailure { return .failed(failure) }
        return isForRegistration ? outcome : outcome.keepingRegistration
    }
}

extension Outcome {
    /// The failure of the whole lane if Apple refuses a configured topic; `nil` for other outcomes.
    fileprivate var topicFailure: Failure? {
        guard case .rejected(let rejection) = self, ["BadTopic", "TopicDisallowed"].contains(rejection.reason) else {
            return nil
        }
        return Failure(code: .thirdPartyAuthError, reason: rejection.reason, laneFailure: .refused)
    }
}
