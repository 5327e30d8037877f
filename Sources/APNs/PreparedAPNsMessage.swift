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

    init(transport: APNsTransport, routes: APNsRoutes, message: OutgoingMessage, payload: APNsPayload) {
        self.transport = transport
        (route, secondRoute) = routes.routes(for: message.lane)
        self.payload = payload
        liveActivityToken = message.message.apns?.liveActivityToken
        var headerFields: HTTPFields = [:]
        for header in APNsHeaders.common(for: message, topic: route.topic) {
            if let name = HTTPField.Name(header.name) { headerFields[name] = header.value }
        }
        self.headerFields = SharedHeaderFields(headerFields)
    }

    /// What is wrong with an activity's token says nothing of the registration's.
    func send(_ notification: OutgoingNotification) async -> Outcome {
        let outcome = await transport.send(self, notification)
        return liveActivityToken == nil ? outcome : outcome.withoutDeath
    }
}

/// A message that cannot be sent to anyone.
struct RejectedMessage: PreparedMessage {
    let rejection: Rejection

    func send(_ notification: OutgoingNotification) async -> Outcome { .rejected(rejection) }
}
