import DocumentStore
import Messaging
import Synchronization

/// A push service that answers as the test says, and remembers what it was sent.
final class ScriptedTransport: PushTransport {
    struct Sent: Sendable {
        let id: NotificationID
        let target: Target
        let message: OutgoingMessage
        /// 1 for the first time this notification was sent.
        let attempt: Int

        var token: String { target.address.token.value }
    }

    typealias Script = @Sendable (Sent) async -> Outcome

    private struct State {
        var sent: [Sent] = []
        var attempts: [NotificationID: Int] = [:]
        var underWay: [Lane: Int] = [:]
        var mostUnderWay: [Lane: Int] = [:]
        var prepared = 0
    }

    let window: Int
    let description = "scripted"
    private let script: Script
    private let state = Mutex(State())

    init(window: Int = 50, _ script: @escaping Script = { _ in .accepted }) {
        self.window = window
        self.script = script
    }

    var sent: [Sent] { state.withLock(\.sent) }
    var tokens: [String] { sent.map(\.token) }
    var attempts: [NotificationID: Int] { state.withLock(\.attempts) }
    /// How many times a message was made ready.
    var prepared: Int { state.withLock(\.prepared) }

    /// How many are on their way now.
    var underWay: Int { state.withLock { $0.underWay.values.reduce(0, +) } }

    func mostUnderWay(in lane: Lane) -> Int { state.withLock { $0.mostUnderWay[lane] ?? 0 } }

    func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        state.withLock { $0.prepared += 1 }
        return Prepared(transport: self, message: message)
    }

    private struct Prepared: PreparedMessage {
        let transport: ScriptedTransport
        let message: OutgoingMessage

        func send(_ notification: OutgoingNotification) async -> Outcome {
            let sent = transport.begin(notification, message)
            let outcome = await transport.script(sent)
            transport.end(message.lane)
            return outcome
        }
    }

    private func begin(_ notification: OutgoingNotification, _ message: OutgoingMessage) -> Sent {
        state.withLock { state in
            state.attempts[notification.id, default: 0] += 1
            let sent = Sent(
                id: notification.id, target: notification.target, message: message,
                attempt: state.attempts[notification.id, default: 0])
            state.sent.append(sent)
            state.underWay[message.lane, default: 0] += 1
            let underWay = state.underWay[message.lane, default: 0]
            state.mostUnderWay[message.lane] = max(state.mostUnderWay[message.lane] ?? 0, underWay)
            return sent
        }
    }

    private func end(_ lane: Lane) {
        state.withLock { $0.underWay[lane, default: 0] -= 1 }
    }
}

extension Outcome {
    static let dead = dead(since: nil)

    static func dead(since time: Timestamp?) -> Outcome {
        .rejected(
            Rejection(
                code: .registrationTokenNotRegistered, reason: "Unregistered", isTokenDead: true, deadSince: time))
    }

    static let refused = Outcome.rejected(Rejection(code: .invalidArgument, reason: "BadTopic"))
    static let busy = Outcome.failed(Failure(code: .serverUnavailable, reason: "ServiceUnavailable"))

    static func busy(retryAfter: Duration) -> Outcome {
        .failed(Failure(code: .messageRateExceeded, reason: "TooManyRequests", retryAfter: retryAfter))
    }
}
