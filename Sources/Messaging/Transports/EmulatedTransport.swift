public import DocumentStore

/// Delivers into an ``Inbox`` of this process: the transport of a gateway without credentials, and of tests.
public struct EmulatedTransport: PushTransport {
    public let inbox: Inbox
    private let scripts: EmulatorScripts
    private let rejection: @Sendable (OutgoingMessage) -> Rejection?
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    /// - Parameter rejection: why a real push service would not take a message for anyone; nil when it would.
    public init(
        inbox: Inbox, scripts: EmulatorScripts = EmulatorScripts(),
        rejection: @escaping @Sendable (OutgoingMessage) -> Rejection? = { _ in nil },
        clock: any Clock<Duration> = .continuous, now: @escaping @Sendable () -> Timestamp
    ) {
        self.inbox = inbox
        self.scripts = scripts
        self.rejection = rejection
        self.clock = clock
        self.now = now
    }

    public var description: String { "Emulated (notifications stay in this gateway's inbox)" }
    public var window: Int { 500 }

    public func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        Prepared(
            transport: self, message: message, rejection: rejection(message),
            encoded: EncodedMessage(message.message))
    }

    private func deliver(_ prepared: Prepared, _ notification: OutgoingNotification) async -> Outcome {
        if let script = scripts.take(for: notification, of: prepared.message) {
            try? await clock.sleep(for: script.delay)
            if let outcome = script.outcome(at: now()) { return outcome }
        }
        if let rejection = prepared.rejection { return .rejected(rejection) }
        inbox.append(prepared.message, prepared.encoded, notification, at: now())
        return .accepted
    }

    private struct Prepared: PreparedMessage {
        let transport: EmulatedTransport
        let message: OutgoingMessage
        let rejection: Rejection?
        let encoded: EncodedMessage

        func send(_ notification: OutgoingNotification) async -> Outcome {
            await transport.deliver(self, notification)
        }
    }
}
