import Messaging
import Synchronization

/// A push service that answers as the test says, by token, and remembers what it was sent.
final class ScriptedTransport: PushTransport {
    struct Sent: Sendable {
        let target: Target
        let message: OutgoingMessage

        var token: String { target.address.token.value }
    }

    typealias Script = @Sendable (_ token: String) async -> Outcome

    let window = 100
    let description = "scripted"
    private let script: Script
    private let state = Mutex<[Sent]>([])

    init(_ script: @escaping Script = { _ in .accepted }) { self.script = script }

    var sent: [Sent] { state.withLock { $0 } }
    var tokens: [String] { sent.map(\.token) }

    func prepare(_ message: OutgoingMessage) -> any PreparedMessage { Prepared(transport: self, message: message) }

    private struct Prepared: PreparedMessage {
        let transport: ScriptedTransport
        let message: OutgoingMessage

        func send(_ notification: OutgoingNotification) async -> Outcome {
            let sent = Sent(target: notification.target, message: message)
            transport.state.withLock { $0.append(sent) }
            return await transport.script(sent.token)
        }
    }
}
