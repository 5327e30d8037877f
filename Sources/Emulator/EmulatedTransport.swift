package import DocumentStore
package import Messaging

/// A transport that delivers into an ``Inbox`` of this process, for gateways without credentials and for tests.
package struct EmulatedTransport: PushTransport {
    /// The received notifications.
    package let inbox: Inbox
    private let scripts: EmulatorScripts
    private let rejection: @Sendable (OutgoingMessage) -> Rejection?
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - scripts: the answers for selected notifications.
    ///   - rejection: returns the reason why a real push service would reject a message for every target, or `nil`.
    ///   - clock: measures scripted delays.
    package init(
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

    /// A text for logs.
    package var description: String { "Emulated (notifications stay in this gateway's inbox)" }
    /// The maximum number of notifications in flight.
    package var window: Int { 500 }

    /// Encodes the message once for all targets.
    package func prepare(_ message: OutgoingMessage) -> any PreparedMessage {
        Prepared(
            transport: self, message: message, rejection: rejection(message),
            encoded: EncodedMessage(message.message))
    }

    private func deliver(
        _ prepared: Prepared, _ notification: OutgoingNotification, by script: EmulatorScripts.Script
    ) async -> Outcome {
        try? await clock.sleep(for: script.delay)
        return script.outcome(at: now()) ?? deliver(prepared, notification)
    }

    private func deliver(_ prepared: Prepared, _ notification: OutgoingNotification) -> Outcome {
        if let rejection = prepared.rejection { return .rejected(rejection) }
        inbox.append(prepared.message, prepared.encoded, notification, at: now())
        return .accepted
    }

    private struct Prepared: PreparedMessage {
        let transport: EmulatedTransport
        let message: OutgoingMessage
        let rejection: Rejection?
        let encoded: EncodedMessage

        var commonRejection: Rejection? { rejection }

        func send(_ notification: OutgoingNotification) async -> Outcome {
            guard let script = transport.scripts.take(for: notification, of: message) else {
                return transport.deliver(self, notification)
            }
            return await transport.deliver(self, notification, by: script)
        }

        /// Puts the notification into the inbox at once, in the order of the calls, unless a script delays it.
        func send(
            _ notification: OutgoingNotification, in tasks: TaskPool, completion: @escaping @Sendable (Outcome) -> Void
        ) {
            if let script = transport.scripts.take(for: notification, of: message) {
                tasks.add { completion(await transport.deliver(self, notification, by: script)) }
            } else {
                completion(transport.deliver(self, notification))
            }
        }
    }
}
