import Foundation

/// The address at which a gateway takes the receipts of one message, as the notification has it.
public struct NotificationReceipt: Hashable, Sendable {
    /// The kind of a receipt.
    public enum Kind: String, Codable, Hashable, Sendable {
        /// The notification has arrived on the device. The app's notification service extension reports it.
        case delivered
        /// The user has opened the notification.
        case opened
    }

    /// The URL that takes receipts of all messages.
    let endpoint: URL
    /// The message's id, with the gateway's signature.
    let id: String

    /// Reads a notification's `userInfo`.
    ///
    /// - Returns: `nil` if the gateway did not ask for receipts, because the registration does not either.
    public init?(userInfo: [AnyHashable: Any]) {
        guard let text = userInfo["pushgate_receipt"] as? String, let slash = text.lastIndex(of: "/"),
            let endpoint = URL(string: String(text[..<slash])), endpoint.host?.isEmpty == false,
            ["http", "https"].contains(endpoint.scheme?.lowercased() ?? "")
        else { return nil }
        let id = String(text[text.index(after: slash)...])
        guard !id.isEmpty else { return nil }
        self.endpoint = endpoint
        self.id = id
    }
}
