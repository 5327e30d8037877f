public import DocumentStore

/// Delivers into an ``Inbox`` of this process: the transport of a gateway without credentials, and of tests.
public struct EmulatedTransport: PushTransport {
    public let inbox: Inbox
    private let scripts: EmulatorScripts
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    public init(
        inbox: Inbox, scripts: EmulatorScripts = EmulatorScripts(), clock: any Clock<Duration> = .continuous,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.inbox = inbox
        self.scripts = scripts
        self.clock = clock
        self.now = now
    }

    public var description: String { "Emulated (notifications stay in this gateway's inbox)" }
    public var window: Int { 500 }

    public func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        Prepared(transport: self, message: message)
    }

    private func deliver(_ message: OutgoingMessage, _ notification: OutgoingNotification) async -> Outcome {
        if let script = scripts.take(for: notification, of: message) {
            try? await clock.sleep(for: script.delay)
            if let outcome = script.outcome(at: now()) { return outcome }
        }
        inbox.append(message, notification, at: now())
        return .accepted
    }

    private struct Prepared: PreparedMessage {
        let transport: EmulatedTransport
        let message: OutgoingMessage

        func send(_ notification: OutgoingNotification) async -> Outcome {
            await transport.deliver(message, notification)
        }
    }
}
