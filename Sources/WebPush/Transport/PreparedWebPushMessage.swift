import Cryptography
import Messaging
import Synchronization

/// A message with everything that its targets share. Each target gets a body of its own, encrypted with a new key.
final class PreparedWebPushMessage: PreparedMessage {
    /// The limit of a body in a second attempt: Firefox on Android takes about so many bytes.
    private static let shortLimit = 2_800
    /// The number of origins whose fields are kept.
    private static let maximumOrigins = 64

    private let transport: WebPushTransport
    private let message: OutgoingMessage
    private let sender: WebPushTransport.Sender
    private let payload: WebPushPayload
    /// The payload for pages that report what arrives; `nil` if it is that of all others.
    private let payloadWithReceipt: WebPushPayload?
    private let common: WebPushHeaders
    /// The header fields of requests, by origin.
    private let headers = Mutex<[String: WebPushRequestHeaders]>([:])
    /// The notifications to main hosts that wait for their encryption.
    private let waiting = Mutex(BatchQueue<WaitingFlight>(maximumTasks: 4, batchSize: 16))

    init(
        _ transport: WebPushTransport, _ message: OutgoingMessage, _ sender: WebPushTransport.Sender,
        payload: WebPushPayload, headers: WebPushHeaders
    ) {
        self.transport = transport
        self.message = message
        self.sender = sender
        self.payload = payload
        payloadWithReceipt = message.receiptAddress.flatMap {
            WebPushPayload(of: message, sender.form, navigation: sender.navigation, receipt: $0)
        }
        common = headers
    }

    func send(_ notification: OutgoingNotification) async -> Outcome {
        await finish(begin(notification))
    }

    /// Sends like ``send(_:)``. At a main host the message is encrypted for several notifications by one task, and the
    /// client takes up their requests at once: a task and a wake-up for each would cost as much as half an encryption.
    func send(
        _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void
    ) {
        // It has its place, and may be given up, before its task runs.
        let flight = begin(notification)
        guard flight.place != nil else { return tasks.add { completion(await self.finish(flight)) } }
        let needsTask = waiting.withLock { $0.add(WaitingFlight(flight: flight, completion: completion)) }
        if needsTask { tasks.add { await self.sendWaiting(in: tasks) } }
    }

    /// One notification from its beginning to its outcome.
    private struct Flight: Sendable {
        let notification: OutgoingNotification
        /// The place among the notifications of the endpoint; `nil` at hosts to which no order is kept.
        let place: SubmissionOrder.Place?

        var id: NotificationID { notification.id }
    }

    private func begin(_ notification: OutgoingNotification) -> Flight {
        transport.begin(notification.id)
        let isOfMainHost = HostLane.isOfMainHost(message.lane.app.environment ?? "")
        return Flight(
            notification: notification,
            place: isOfMainHost ? transport.order.enter(notification.target.address.token.value) : nil)
    }

    private func end(_ flight: Flight) {
        transport.end(flight.id)
        if let place = flight.place { transport.order.leave(place) }
    }

    /// Sends the message, and once more in fewer bytes if the service takes no more.
    private func finish(_ flight: Flight) async -> Outcome {
        defer { end(flight) }
        guard let subscription = subscription(of: flight) else { return .rejected(.invalidSubscription) }
        let endpoint = subscription.endpoint
        if let rejection = transport.check(endpoint) { return .rejected(rejection) }
        if let rest = transport.rest(of: endpoint) {
            return .failed(Failure(code: .serverUnavailable, reason: "HostResting", retryAfter: rest))
        }
        switch transport.turn(at: endpoint, in: message.lane) {
        case .later(let wait)?:
            return .failed(
                Failure(code: .serverUnavailable, reason: "HostBusy", retryAfter: wait, isAttempt: false))
        case .now(let use)?:
            defer { transport.end(use) }
            return await deliver(to: subscription, flight)
        case nil: return await deliver(to: subscription, flight)
        }
    }

    private func deliver(to subscription: WebPushSubscription, _ flight: Flight) async -> Outcome {
        let first = await send(payload(for: flight), .buckets, to: subscription, flight)
        return await outcome(after: first, of: subscription, flight)
    }

    private func subscription(of flight: Flight) -> WebPushSubscription? {
        try? SubscriptionToken.subscription(of: flight.notification.target.address)
    }

    /// Returns the outcome after the first answer, for which the message may be sent once more in fewer bytes.
    private func outcome(
        after first: Result<WebPushAnswer, SendError>, of subscription: WebPushSubscription, _ flight: Flight
    ) async -> Outcome {
        let endpoint = subscription.endpoint
        guard case .success(let answer) = first, answer.isTooLarge, let shorter = shorterPayload(for: flight)
        else {
            return outcome(of: first, from: endpoint)
        }
        transport.noteShortenedBody()
        return outcome(of: await send(shorter, .none, to: subscription, flight), from: endpoint)
    }

    private func payload(for flight: Flight) -> WebPushPayload {
        flight.notification.asksForReceipt ? payloadWithReceipt ?? payload : payload
    }

    private func shorterPayload(for flight: Flight) -> WebPushPayload? {
        let receipt = flight.notification.asksForReceipt ? message.receiptAddress : nil
        return WebPushPayload(
            of: message, sender.form, navigation: sender.navigation, limit: Self.shortLimit, receipt: receipt)
    }

    /// A reason for a missing answer.
    private enum SendError: Error {
        case request(WebPushRequestError)
        /// A failure of OpenSSL.
        case cryptography(CryptographyError)
        /// A newer notification replaces this one.
        case givenUp
    }

    private func send(
        _ payload: WebPushPayload, _ padding: Padding, to subscription: WebPushSubscription, _ flight: Flight
    ) async -> Result<WebPushAnswer, SendError> {
        var request: WebPushRequest
        do throws(CryptographyError) {
            request = try self.request(payload, padding, to: subscription)
        } catch {
            transport.report(error)
            return .failure(.cryptography(error))
        }
        if let place = flight.place { await transport.order.wait(for: place) }
        guard transport.willSend(request.body, of: flight.id) else { return .failure(.givenUp) }
        follow(&request, flight)
        return await transport.answer(to: request).mapError(SendError.request)
    }

    /// Lets later notifications of the endpoint follow the request when a client has it, and the notification be given
    /// up until then.
    private func follow(_ request: inout WebPushRequest, _ flight: Flight) {
        if let place = flight.place { request.wasSubmitted = { [transport] in transport.order.leave(place) } }
        request.isGivenUp = { [transport, id = flight.id] in transport.isGivenUp(id) }
    }

    private func request(
        _ payload: WebPushPayload, _ padding: Padding, to subscription: WebPushSubscription
    ) throws(CryptographyError) -> WebPushRequest {
        let endpoint = subscription.endpoint
        let body = try MessageEncryption.encrypt(
            payload.bytes, padding: padding.byteCount(forContent: payload.bytes.count), for: subscription.keys,
            senderKey: .generate(), salt: RandomBytes.generate(EncryptedContent.saltByteCount))
        return WebPushRequest(
            endpoint: endpoint, headers: headers(for: endpoint),
            authorization: try sender.identity.authorization(for: endpoint.origin), body: body,
            deadline: transport.deadline(for: endpoint))
    }

    /// Returns the fields of requests to an endpoint's origin.
    private func headers(for endpoint: WebPushEndpoint) -> WebPushRequestHeaders {
        let origin = endpoint.origin
        return headers.withLock { headers in
            if let known = headers[origin] { return known }
            let made = WebPushRequestHeaders(common, for: endpoint)
            // Strangers name origins.
            if headers.count >= Self.maximumOrigins { headers = [:] }
            headers[origin] = made
            return made
        }
    }

    /// A notification to a main host that waits for its encryption.
    private struct WaitingFlight: Sendable {
        let flight: Flight
        let completion: @Sendable (Outcome) -> Void
    }

    /// Sends the message for the notifications that wait, one batch after the other.
    private func sendWaiting(in tasks: TaskPool) async {
        while true {
            let batch = waiting.withLock { $0.take() }
            guard !batch.isEmpty else { return }
            transport.submit(batch.compactMap { submission(of: $0, in: tasks) })
            await Task.yield()
        }
    }

    /// Returns the request of a notification, encrypted; `nil` if it gets a task of its own, because it waits for an
    /// earlier one, or has an outcome without a request, or another client.
    private func submission(of waiting: WaitingFlight, in tasks: TaskPool) -> WebPushClient.Submission? {
        let flight = waiting.flight
        guard let place = flight.place, let subscription = subscription(of: flight),
            transport.check(subscription.endpoint) == nil, transport.mayBeSubmitted(to: subscription.endpoint),
            transport.order.mayGo(place), var request = try? request(payload(for: flight), .buckets, to: subscription),
            transport.willSend(request.body, of: flight.id)
        else {
            tasks.add { waiting.completion(await self.finish(flight)) }
            return nil
        }
        follow(&request, flight)
        return WebPushClient.Submission(request: request) { [self] result in
            receive(result, for: waiting, of: subscription, in: tasks)
        }
    }

    /// Ends a notification with its answer, or sends it once more in a task: by the other client, or in fewer bytes.
    private func receive(
        _ result: Result<WebPushAnswer, WebPushRequestError>?, for waiting: WaitingFlight,
        of subscription: WebPushSubscription, in tasks: TaskPool
    ) {
        let flight = waiting.flight
        guard let result else { return tasks.add { waiting.completion(await self.finish(flight)) } }
        let first = result.mapError(SendError.request)
        if case .success(let answer) = result, answer.isTooLarge {
            tasks.add { [self] in
                let last = await outcome(after: first, of: subscription, flight)
                end(flight)
                waiting.completion(last)
            }
        } else {
            end(flight)
            waiting.completion(outcome(of: first, from: subscription.endpoint))
        }
    }

    private func outcome(
        of result: Result<WebPushAnswer, SendError>, from endpoint: WebPushEndpoint
    ) -> Outcome {
        switch result {
        case .success(let answer): return answer.outcome(age: transport.age(of: message))
        case .failure(.request(let error)) where error.isAddressRefused:
            // The code is that of a host without a connection: another one would tell a client which names have private
            // addresses here.
            return .failed(Failure(code: .serverUnavailable, reason: "AddressNotAllowed"))
        case .failure(.request(let error)):
            // The trouble of another host may be one that a stranger made up.
            let isOfService = error.isWithoutConnection && endpoint.isAtMainHost
            return .failed(
                Failure(
                    code: .serverUnavailable, reason: error.kind, laneFailure: isOfService ? .unreachable : nil))
        case .failure(.givenUp):
            return .failed(Failure(code: .serverUnavailable, reason: "cancelled"))
        case .failure(.cryptography):
            return .failed(Failure(code: .internalError, reason: "CannotEncrypt"))
        }
    }
}
