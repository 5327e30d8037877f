public import DocumentStore

/// Delivers into an ``Inbox`` of this process: the transport of a gateway without credentials, and of tests.
public struct EmulatedTransport: PushTransport {
    public let inbox: Inbox
    private let now: @Sendable () -> Timestamp

    public init(inbox: Inbox, now: @escaping @Sendable () -> Timestamp) {
        self.inbox = inbox
        self.now = now
    }

    public var description: String { "Emulated (notifications stay in this gateway's inbox)" }
    public var window: Int { 500 }

    public func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        Prepared(transport: self, message: message)
    }

    private struct Prepared: PreparedMessage {
        let transport: EmulatedTransport
        let message: OutgoingMessage

        func send(_ notification: OutgoingNotification) async -> Outcome {
            transport.inbox.append(message, notification, at: transport.now())
            return .accepted
        }
    }
}
