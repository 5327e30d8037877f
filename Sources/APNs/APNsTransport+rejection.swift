public import Messaging

extension APNsTransport {
    /// Why APNs would not take a message for anyone; nil when it would. For what stands in for APNs.
    @Sendable
    public static func rejection(of message: OutgoingMessage) -> Rejection? {
        APNsPayload(of: message) == nil ? .payloadTooLarge : nil
    }
}

extension Rejection {
    /// The registration stays, for the day its app is configured.
    static let appNotConfigured = Rejection(code: .mismatchedCredential, reason: "AppNotConfigured")
    static let payloadTooLarge = Rejection(code: .invalidArgument, reason: "PayloadTooLarge")
}
