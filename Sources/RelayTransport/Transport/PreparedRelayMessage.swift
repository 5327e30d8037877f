import Cryptography
import Messaging
import WebPush

/// A message with everything that its targets share. Each target gets a text of its own, sealed with a new key.
struct PreparedRelayMessage: PreparedMessage {
    private let transport: AuthorRelayTransport
    private let message: OutgoingMessage
    private let content: RelayContent
    /// The content for apps that report what arrives; `nil` if it is that of all others.
    private let contentWithReceipt: RelayContent?
    private let collapseID: String?
    /// The change of a card; `nil` for another message.
    let card: RelayCard?

    init(_ transport: AuthorRelayTransport, _ message: OutgoingMessage, _ content: RelayContent) {
        self.transport = transport
        self.message = message
        self.content = content
        contentWithReceipt = message.receiptAddress.flatMap { RelayContent(of: message, receipt: $0) }
        collapseID = message.message.relayedCollapseID
        card = RelayCard(of: message.message)
    }

    var lane: Lane { message.lane }
    /// `true` if somebody is needed at once.
    var isUrgent: Bool { message.message.apns?.header("apns-priority") == "10" }

    func send(_ notification: OutgoingNotification) async -> Outcome { await transport.send(self, notification) }

    /// Returns the request for one target, sealed.
    ///
    /// - Parameter now: The time in seconds since 1970.
    func request(
        to address: RelayAddress, _ keys: RelayKeys, for notification: OutgoingNotification, now: Int64,
        deadline: Duration
    ) throws(CryptographyError) -> RelayRequest {
        let content = notification.asksForReceipt ? contentWithReceipt ?? content : content
        if content.isCut { RelayMetrics.recordCutBody() }
        let sealed = try SealedContent.seal(
            content.bytes, for: keys.receiver, senderKey: .generate(),
            salt: RandomBytes.generate(EncryptedContent.saltByteCount))
        return RelayRequest(
            to: address, keys, id: notification.id.description, sealed: sealed, collapseID: collapseID,
            RelayDelivery(of: message, now: now), deadline: deadline)
    }
}
