import DocumentStore
import Logging
import Messaging
import WebPush

/// A check at the start if browsers have subscribed with another key than the gateway's, which is lost then.
struct SubscriptionKeyCheck: Sendable {
    let key: String
    /// `true` if the key was made at this start.
    let isNew: Bool
    let keys: SubscriptionKeys
    let logger: Logger

    /// Makes the check once for each key.
    func run() async {
        do throws(StoreError) {
            guard let isReplacement = try await keys.isReplacement(key, isNew: isNew) else { return }
            if isReplacement {
                logger.error(
                    """
                    found browsers that have subscribed with another key of Web Push, and get no message; set \
                    webpush.privateKey to the former key, or let them subscribe again
                    """,
                    metadata: ["key": "\(key)"])
            }
            try await keys.note(key, hasReplaced: isReplacement, at: .now)
        } catch {
            // The next start makes the check again.
            logger.debug("failed to check the key of Web Push", metadata: ["error": "\(error)"])
        }
    }
}

extension SubscriptionKeyCheck {
    /// Creates the check of a gateway; `nil` if Web Push is off.
    init?(
        _ configuration: GatewayConfiguration, _ storage: GatewayStorage, _ delivery: GatewayDelivery, _ logger: Logger
    ) {
        guard let key = delivery.webPushKey() else { return nil }
        self.init(
            key: key, isNew: delivery.isWebPushKeyNew,
            keys: SubscriptionKeys(
                of: BrowserSubscriptions(configuration, delivery, in: storage.store), for: .webPush),
            logger: logger)
    }
}
