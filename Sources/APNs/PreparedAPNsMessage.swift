internal import HTTPTransport
internal import HTTPTypes
internal import Messaging

/// A message with all that its targets share: the ways there, headers, payload.
struct PreparedAPNsMessage: PreparedMessage {
    let transport: APNsTransport
    let route: APNsRoute
    let secondRoute: APNsRoute?
    let headerFields: SharedHeaderFields
    let payload: APNsPayload
    /// Where it goes instead of to its target's own token.
    let liveActivityToken: RegistrationToken?
    /// Whether what Apple says of the token it says of the registration's, for the app that the registration is of. A Live
    /// Activity has a token of its own; and for another topic (one the message names, or one of a push type of its own,
    /// such as `voip`) a good token of the app's is a bad one.
    private let isForRegistration: Bool

    init(transport: APNsTransport, routes: APNsRoutes, message: OutgoingMessage, payload: APNsPayload) {
        self.transport = transport
        (route, secondRoute) = routes.routes(for: message.lane)
        self.payload = payload
        liveActivityToken = message.message.apns?.liveActivityToken
        let headers = APNsHeaders.common(for: message, topic: route.topic, bundleID: route.bundleID)
        let topic = headers.first { $0.name == APNsHeaders.topicName }?.value
        isForRegistration = liveActivityToken == nil && topic == route.topic
        var headerFields: HTTPFields = [:]
        for header in headers {
            if let name = HTTPField.Name(header.name) { headerFields[name] = header.value }
        }
        self.headerFields = SharedHeaderFields(headerFields)
    }

    func send(_ notification: OutgoingNotification) async -> Outcome {
        let outcome = await transport.send(self, notification)
        return isForRegistration ? outcome : outcome.withoutDeath
    }
}

/// A message that cannot be sent to anyone.
struct RejectedMessage: PreparedMessage {
    let rejection: Rejection

    func send(_ notification: OutgoingNotification) async -> Outcome { .rejected(rejection) }
}
