#if canImport(UIKit)
    import PushgateClient
    import UserNotifications

    /// The names that the app and its extension share.
    enum NotificationKeys {
        /// The Keychain group of both targets (“Keychain Sharing”), with your team's prefix.
        static let accessGroup = "ABCDE12345.com.example.app.push"
    }

    /// The notification service extension: a target of its own in Xcode, with this file alone,
    /// which is also in the app's.
    ///
    /// The system runs it for each notification of the relay, whose text it replaces by the one that the gateway has
    /// sealed. What it cannot open keeps the relay's neutral text.
    final class NotificationService: UNNotificationServiceExtension {
        override func didReceive(
            _ request: UNNotificationRequest, withContentHandler show: @escaping (UNNotificationContent) -> Void
        ) {
            let storage = KeychainRelayStorage(accessGroup: NotificationKeys.accessGroup)
            show(SealedNotifications(storage: storage).content(of: request.content))
        }
    }
#endif
