/// The transports by their names.
package struct TransportTable: Sendable {
    private let transports: [TransportName: any PushTransport]

    /// Creates a table.
    package init(_ transports: [TransportName: any PushTransport]) { self.transports = transports }

    /// Creates a table that sends everything to one transport, for a gateway without credentials.
    package init(everythingTo transport: any PushTransport) {
        self.init([.apns: transport, .fcm: transport, .emulated: transport])
    }

    func transport(for lane: Lane) -> any PushTransport {
        transports[lane.transport] ?? UnroutableTransport()
    }
}

/// A transport for tokens without a configured transport. It rejects with a reason and keeps the registration: a
/// transport may be configured later.
struct UnroutableTransport: PushTransport, PreparedMessage {
    let description = "none"
    let window = 500

    func prepare(_ message: OutgoingMessage) -> any PreparedMessage { self }

    func send(_ notification: OutgoingNotification) async -> Outcome {
        .rejected(Rejection(code: .mismatchedCredential, reason: "NoTransportForToken"))
    }
}
