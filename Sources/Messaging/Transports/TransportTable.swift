/// The transports by their names.
package struct TransportTable: Sendable {
    private let transports: [TransportName: any PushTransport]
    /// The transport for all other names; `nil` for none.
    private let other: (any PushTransport)?

    /// Leaves all other names without a transport.
    package init(_ transports: [TransportName: any PushTransport]) {
        self.transports = transports
        other = nil
    }

    /// Creates a table that sends everything to one transport, for a gateway without credentials.
    package init(everythingTo transport: any PushTransport) {
        transports = [:]
        other = transport
    }

    /// Returns `true` if there is a transport for the name.
    package func has(_ transport: TransportName) -> Bool { transports[transport] != nil || other != nil }

    /// Returns the rejection that a message gets for every target, before any request; `nil` if the push service
    /// decides.
    package func rejection(of message: OutgoingMessage) -> Rejection? {
        transport(for: message.lane).prepare(message).commonRejection
    }

    func transport(for lane: Lane) -> any PushTransport {
        transports[lane.transport] ?? other ?? UnroutableTransport()
    }
}

/// A transport for tokens without a configured transport. It rejects with a reason and keeps the registration: a
/// transport may be configured later.
struct UnroutableTransport: PushTransport, PreparedMessage {
    let description = "none"
    let window = 500

    private static let rejection = Rejection(code: .mismatchedCredential, reason: "NoTransportForToken")

    var commonRejection: Rejection? { Self.rejection }

    func prepare(_ message: OutgoingMessage) -> any PreparedMessage { self }

    func send(_ notification: OutgoingNotification) async -> Outcome { .rejected(Self.rejection) }
}
