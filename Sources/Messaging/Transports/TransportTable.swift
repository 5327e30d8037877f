/// Which transport carries which kind of token.
public struct TransportTable: Sendable {
    private let transports: [TransportName: any PushTransport]

    public init(_ transports: [TransportName: any PushTransport]) { self.transports = transports }

    /// Everything goes to one transport: what the gateway does until it is given credentials.
    public init(everythingTo transport: any PushTransport) {
        self.init([.apns: transport, .fcm: transport, .emulated: transport])
    }

    func transport(for lane: Lane) -> any PushTransport {
        transports[lane.transport] ?? UnroutableTransport()
    }
}

/// Stands where no transport is: says why, and keeps the registration, for the day one is configured.
struct UnroutableTransport: PushTransport, PreparedMessage {
    let description = "none"
    let window = 500

    func prepare(_ message: OutgoingMessage) -> any PreparedMessage { self }

    func send(_ notification: OutgoingNotification) async -> Outcome {
        .rejected(Rejection(code: .mismatchedCredential, reason: "NoTransportForToken"))
    }
}
