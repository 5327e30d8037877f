internal import Cryptography
internal import DocumentStore
public import HTTPTransport
internal import HTTPTypes
public import Logging
public import Messaging

/// Sends to Apple Push Notification service: HTTP/2, one request a notification, a provider token on each.
public struct APNsTransport: PushTransport {
    private let configuration: APNsConfiguration
    private let client: HTTPClient
    private let tokens: ProviderTokenSource
    private let logger: Logger

    public let window: Int

    /// - Parameters:
    ///   - window: how many notifications may be on their way at once: as many as the client's connections carry streams.
    ///   - now: seconds since 1970.
    public init(
        configuration: APNsConfiguration, client: HTTPClient, window: Int, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.configuration = configuration
        self.client = client
        self.logger = logger
        tokens = ProviderTokenSource(configuration, now: now)
        self.window = window
    }

    public var description: String {
        "APNs (\(configuration.endpoint ?? configuration.environment.rawValue)), topic \(configuration.bundleID)"
    }

    public func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        guard let payload = APNsPayload(message.message) else {
            return RejectedMessage(rejection: Rejection(code: .invalidArgument, reason: "PayloadTooLarge"))
        }
        return PreparedAPNsMessage(
            transport: self, baseURL: configuration.baseURL(for: message.lane.environment),
            headers: APNsHeaders.common(for: message, topic: message.lane.topic ?? configuration.bundleID),
            payload: payload)
    }

    // MARK: One notification

    /// Sends once; and once more at once where the first time cannot have been taken: on a connection that had not
    /// processed it, or with a provider token too old, which spoils its connection.
    fileprivate func send(_ message: PreparedAPNsMessage, _ notification: OutgoingNotification) async -> Outcome {
        do {
            let answer = try await perform(message, notification)
            guard answer.wantsNewProviderToken else { return answer.outcome }
            logger.warning("APNs found the provider token expired; check this machine's clock")
            return try await perform(message, notification, onNewConnection: true).outcome
        } catch let error as HTTPClientError where error.isUnprocessed {
            return await sendAgain(message, notification)
        } catch {
            return outcome(of: error)
        }
    }

    private func sendAgain(_ message: PreparedAPNsMessage, _ notification: OutgoingNotification) async -> Outcome {
        do {
            return try await perform(message, notification).outcome
        } catch {
            return outcome(of: error)
        }
    }

    private func perform(
        _ message: PreparedAPNsMessage, _ notification: OutgoingNotification, onNewConnection: Bool = false
    ) async throws -> APNsAnswer {
        var headerFields: HTTPFields = [.authorization: "bearer \(try tokens.token())"]
        if let name = APNsHeaders.id { headerFields[name] = notification.id.description }
        let request = HTTPClientRequest(
            method: .post, url: message.baseURL + "/3/device/" + notification.target.address.token.value,
            headerFields: headerFields, sharedHeaderFields: message.headerFields, body: message.payload.bytes,
            deadline: configuration.deadline, version: .http2, usesNewConnection: onNewConnection)
        let response = try await client.execute(request)
        guard response.statusCode != 200 else { return .accepted }
        return APNsAnswer(
            status: response.statusCode, retryAfter: response.headerFields[.retryAfter], body: response.body)
    }

    private func outcome(of error: any Error) -> Outcome {
        switch error {
        case let error as HTTPClientError:
            logger.notice("no answer from APNs", metadata: ["error": "\(error)"])
            return .failed(
                Failure(code: .serverUnavailable, reason: "\(error.kind)", laneTrouble: error.laneTrouble))
        default:
            logger.error("could not sign a provider token", metadata: ["error": "\(error)"])
            return .failed(
                Failure(code: .thirdPartyAuthError, reason: "CannotSignProviderToken", laneTrouble: .refused))
        }
    }
}

/// A message with all that its targets share: where to, headers, payload.
private struct PreparedAPNsMessage: PreparedMessage {
    let transport: APNsTransport
    let baseURL: String
    let headerFields: SharedHeaderFields
    let payload: APNsPayload

    init(transport: APNsTransport, baseURL: String, headers: [(name: String, value: String)], payload: APNsPayload) {
        self.transport = transport
        self.baseURL = baseURL
        self.payload = payload
        var headerFields: HTTPFields = [:]
        for header in headers {
            if let name = HTTPField.Name(header.name) { headerFields[name] = header.value }
        }
        self.headerFields = SharedHeaderFields(headerFields)
    }

    func send(_ notification: OutgoingNotification) async -> Outcome { await transport.send(self, notification) }
}

/// A message that cannot be sent to anyone.
private struct RejectedMessage: PreparedMessage {
    let rejection: Rejection

    func send(_ notification: OutgoingNotification) async -> Outcome { .rejected(rejection) }
}

extension HTTPClientError {
    /// Without a connection nobody's notification goes; one that was lost may have been this one's fault.
    fileprivate var laneTrouble: LaneTrouble? {
        switch kind {
        case .couldNotConnect, .tls: .unreachable
        case .timedOut where isUnprocessed: .unreachable
        default: nil
        }
    }
}
