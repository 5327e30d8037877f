import Cryptography

/// The conversation with Firefox on one WebSocket: messages of the browser in, answers out.
///
/// It is a value without a socket. The owner connects the browser to the broker when ``userAgentID`` is set.
struct AutopushSession: Sendable {
    /// The action for a message of the browser.
    enum Action: Hashable, Sendable {
        /// The browser is known now. Connect it, then answer and deliver.
        case greet(userAgentID: String)
        case answer(String)
        /// There is nothing to do.
        case ignore
        /// The browser does not keep to the protocol.
        case close
    }

    let broker: PushBroker
    /// The browser's id; `nil` before its first message.
    private(set) var userAgentID: String?

    init(broker: PushBroker) {
        self.broker = broker
    }

    /// Receives a message.
    mutating func receive(_ text: String) -> Action {
        guard let request = try? AutopushRequest(text) else { return .close }
        if case .hello(let former) = request { return userAgentID == nil ? greet(former) : .close }
        guard let userAgentID else { return .close }
        switch request {
        case .hello: return .close
        case .register(let channel, let key): return .answer(register(channel, key: key, userAgentID).text)
        case .unregister(let channel):
            broker.end(of: userAgentID) { $0.channel?.id == channel }
            return .answer(AutopushAnswer.unregistered(channel: channel).text)
        case .acknowledge(let acknowledgments): acknowledge(acknowledgments, by: userAgentID)
        case .reject(let version, let code): broker.reject(version, by: userAgentID, code: code)
        case .ping(let text): return .answer(text)
        case .other: break
        }
        return .ignore
    }

    /// Greets a browser by its former id if the service knows it. Otherwise the browser forgets its subscriptions.
    private mutating func greet(_ former: String?) -> Action {
        let known = former.flatMap { broker.browser($0) }.flatMap { $0.kind == .firefox ? $0.id : nil }
        let id = known ?? Self.newID()
        if known == nil { broker.add(.firefox(id)) }
        userAgentID = id
        return .greet(userAgentID: id)
    }

    /// Returns an id in the form of Mozilla's: 32 hexadecimal digits.
    private static func newID() -> String {
        RandomBytes.generate(16).map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    }

    private func register(_ channel: String, key: String?, _ userAgentID: String) -> AutopushAnswer {
        if let key, UncompressedPoint(base64URL: key)?.verifyingKey() == nil {
            return .notRegistered(channel: channel, status: 400)
        }
        let subscription = broker.subscribe(
            .mozilla, browserID: userAgentID, channel: PageChannel(id: channel), key: key)
        return .registered(channel: channel, endpoint: subscription.endpoint)
    }

    private func acknowledge(_ acknowledgments: [AutopushAcknowledgment], by userAgentID: String) {
        for acknowledgment in acknowledgments {
            let isDelivered = acknowledgment.code == nil || acknowledgment.code == 100
            broker.acknowledge(
                [acknowledgment.version], by: userAgentID, isDelivered ? .acknowledged : .failed,
                code: acknowledgment.code)
        }
    }
}

extension AutopushNotification {
    init(_ delivery: ServiceState.Delivery) {
        self.init(
            channel: delivery.record.channel?.id ?? "", version: delivery.message.id,
            encoding: delivery.message.encoding, body: delivery.message.body)
    }
}
