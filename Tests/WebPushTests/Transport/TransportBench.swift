import Cryptography
import HTTP2Client
import TestDoubles
import Testing

@testable import Messaging
@testable import WebPush

/// A transport with a key and a clock of its own.
struct TransportBench: Sendable {
    static let now: Int64 = 1_800_000_000

    let transport: WebPushTransport
    let client: WebPushClient
    let key: ES256PrivateKey
    let log = CollectedLog()

    /// - Parameters:
    ///   - server: The server whose authority is trusted.
    ///   - hosts: The hosts that lead to the server.
    ///   - servers: Other servers, by host.
    init(
        trusting server: PushServiceStandIn, for hosts: [String] = [], _ servers: [String: HTTP2Origin] = [:],
        policy: @escaping @Sendable () -> EndpointPolicy = { EndpointPolicy() },
        deadline: Duration = .seconds(60), sharedDeadline: Duration = .seconds(60), slowAnswer: Duration = .seconds(60),
        uptime: @escaping @Sendable () -> Duration = { .zero }
    ) throws {
        let key = try ES256PrivateKey.generate()
        var connectTo = servers
        for host in hosts { connectTo[host] = HTTP2Origin(host: "127.0.0.1", port: server.port) }
        let client = WebPushClient(caFile: server.caFile, connectTo: connectTo, policy: policy, logger: log.logger)
        let identity = try SenderIdentity(key: key, subject: "mailto:ops@pushgate.dev") { Self.now }
        transport = WebPushTransport(
            WebPushTransport.Sender(
                identity: identity, form: .declarative, navigation: NavigationTemplate("https://app.example/")),
            client: client, policy: policy, deadline: deadline, sharedDeadline: sharedDeadline,
            slowAnswer: slowAnswer, now: { Self.now }, uptime: uptime, jitter: { 0 }, logger: log.logger)
        self.key = key
        self.client = client
    }

    func outgoing(
        _ message: Message, to address: PushAddress, lifetime: Int64 = 3_600, age: Int64 = 0
    ) -> OutgoingMessage {
        OutgoingMessage(
            message: message, lane: address.lane, expiration: Self.now + lifetime, acceptedAt: Self.now - age, id: "m1")
    }

    /// The id of a notification.
    let id = NotificationID(chunk: ChunkID(message: "m1", number: 0), index: 0)

    /// Returns the notification of one target of the message.
    func notification(to address: PushAddress, index: Int) -> OutgoingNotification {
        OutgoingNotification(
            id: NotificationID(chunk: ChunkID(message: "m1", number: 0), index: index),
            target: Target(address: address, registration: nil))
    }

    /// Sends a message to a browser, once.
    func send(
        _ message: Message = Message(notification: Message.Notification(title: "t", body: "b")),
        to browser: Browser, index: Int = 0, age: Int64 = 0
    ) async throws -> Outcome {
        let address = try browser.address()
        return await transport.prepare(outgoing(message, to: address, age: age))
            .send(notification(to: address, index: index))
    }

    /// Returns the reason of a rejection or a failure; `nil` for an acceptance.
    static func reason(_ outcome: Outcome) -> String? {
        switch outcome {
        case .accepted: nil
        case .rejected(let rejection): rejection.reason
        case .failed(let failure): failure.reason
        }
    }
}
