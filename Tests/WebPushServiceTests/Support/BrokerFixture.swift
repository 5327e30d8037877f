import Logging
import SimulatorTools
import Synchronization
import TestDoubles

@testable import WebPushService

/// The parts of a service without sockets, at the time of ``SamplePush``.
struct BrokerFixture: Sendable {
    static let now = SamplePush.now * 1000

    let history = MessageHistory(limits: .init(messages: 1_000, bodyBytes: 1_000_000))
    let scripts = PushScripts()
    let broker: PushBroker

    init() throws {
        broker = try PushBroker(
            endpoints: EndpointForm(origin: "https://127.0.0.1:8030", usesServiceNames: false), history: history,
            directory: nil, now: { Self.now }, makeToken: Self.tokens(), logger: .silent)
    }

    /// Returns a function that returns `token1`, `token2` and so on.
    static func tokens() -> @Sendable () -> String {
        let numbers = Numbers()
        return { "token\(numbers.next())" }
    }

    private final class Numbers: Sendable {
        private let last = Atomic(0)
        func next() -> Int { last.add(1, ordering: .relaxed).newValue }
    }

    /// Returns the state of the only message of the history.
    var delivery: MessageDelivery? { history.page(matching: .all).entries.first?.delivery }

    func accept(_ message: PushMessage) { broker.accept(message, after: history) }
}

extension PushBroker {
    /// Accepts a message as a request does: first the history, then the broker.
    func accept(_ message: PushMessage, after history: MessageHistory) {
        history.record(.sample(message.id, token: message.token))
        accept(message)
    }
}
