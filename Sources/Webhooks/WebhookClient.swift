import HTTPClient
package import HTTPTypes
import IPAddresses
package import Logging
package import WebPush

/// A sender of events to their targets.
package protocol WebhookTransport: Sendable {
    /// Sends an event once.
    func send(_ event: SentEvent, to target: WebhookTarget) async -> WebhookAnswer
}

/// An event at one attempt.
package struct SentEvent: Sendable {
    /// The event's id, the same at each attempt.
    package let id: String
    /// The header fields of the attempt, with its signature.
    package let headerFields: HTTPFields
    /// The JSON text.
    package let body: [UInt8]
}

/// The end of one attempt.
package enum WebhookAnswer: Hashable, Sendable {
    /// The receiver has taken the event: any status from 200 to 299.
    case taken
    /// It has not, for a reason in words. The event is sent again.
    case failed(String, retryAfter: Duration?)
}

/// The clients of webhooks: one for the URLs of the configuration, which may lead anywhere, and one for the others,
/// which asks for each address before it connects.
package final class WebhookClient: WebhookTransport {
    private let configured: HTTPClient
    private let others: HTTPClient

    /// In bytes. Nothing of an answer but its status is of use.
    private static let maximumAnswerBytes = 16 * 1_024
    private static let deadline = Duration.seconds(15)

    /// Creates clients.
    ///
    /// - Parameter policy: The rules for addresses that URLs of the second kind may lead to.
    package init(policy: EndpointPolicy, userAgent: String, logger: Logger) {
        var configuration = HTTPClient.Configuration()
        configuration.maximumResponseBytes = Self.maximumAnswerBytes
        configuration.maximumHeadBytes = Self.maximumAnswerBytes
        configuration.cutsLongBodies = true
        configuration.connectTimeout = .seconds(5)
        configuration.idleLifetime = .seconds(60)
        configuration.userAgent = userAgent
        configured = HTTPClient(configuration: configuration, logger: logger)
        configuration.refusal = { address, host in policy.refusal(of: address, for: host) }
        others = HTTPClient(configuration: configuration, logger: logger)
    }

    package func send(_ event: SentEvent, to target: WebhookTarget) async -> WebhookAnswer {
        let request = HTTPClientRequest(
            method: .post, url: target.url, headerFields: event.headerFields, body: event.body,
            deadline: Self.deadline)
        do throws(HTTPClientError) {
            let answer = try await (target.isConfigured ? configured : others).execute(request)
            if (200...299).contains(answer.statusCode) { return .taken }
            return .failed("the receiver answered \(answer.statusCode)", retryAfter: answer.retryAfter)
        } catch {
            return .failed(error.description, retryAfter: nil)
        }
    }

    /// Ends the requests in progress, and the threads.
    package func shutdown() async {
        await configured.shutdown()
        await others.shutdown()
    }
}
