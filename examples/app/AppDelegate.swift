#if canImport(UIKit)
    import PushgateClient
    import UIKit
    import UserNotifications

    /// The part of the app that the system gives the token and the notifications to.
    final class AppDelegate: NSObject, UIApplicationDelegate {
        static let push = Push(
            servers: OneServer(
                stored: {
                    guard let gateway = try Keychain.text("gateway"), let secret = try Keychain.text("secret") else {
                        return nil
                    }
                    return (gateway, secret)
                },
                pairing: {
                    guard let text = try Keychain.text("pairing") else { return nil }
                    return try JSONDecoder().decode(DevicePairing.self, from: Data(text.utf8))
                }),
            relay: relay,
            file: .applicationSupportDirectory.appending(path: "push.json"),
            build: AppBuild(bundleID: Bundle.main.bundleIdentifier, apnsEnvironment: environment))

        /// The relay of the app's author, as `https://push.your-domain.com`; empty if the gateways have the app's key.
        private static let relayURL = ""
        private static let relay = GatewayURL(relayURL).map { url in
            RelayClient(relay: url, storage: KeychainRelayStorage(accessGroup: NotificationKeys.accessGroup))
        }

        /// The value of the entitlement `aps-environment`: Xcode's own runs have the sandbox.
        private static var environment: AppBuild.APNsEnvironment {
            #if DEBUG
                .sandbox
            #else
                .production
            #endif
        }

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
        ) -> Bool {
            UNUserNotificationCenter.current().delegate = self
            // At every launch, because tokens change.
            application.registerForRemoteNotifications()
            return true
        }

        func application(
            _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken token: Data
        ) {
            Task { await Self.push.deviceTokenArrived(token) }
        }

        func application(
            _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
        ) {
            // The usual cause is a build without the capability “Push Notifications”.
            Screen.shared.status = error.localizedDescription
        }
    }

    extension AppDelegate: @preconcurrency UNUserNotificationCenterDelegate {
        func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification
        ) async -> UNNotificationPresentationOptions {
            let payload = PushPayload(userInfo: notification.request.content.userInfo)
            let isActive = UIApplication.shared.applicationState == .active
            let isShown = await Self.push.isShown(payload, isActive: isActive, openChats: Screen.shared.openChats)
            return isShown ? [.banner, .list, .sound] : []
        }

        func userNotificationCenter(
            _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
        ) async {
            let payload = PushPayload(userInfo: response.notification.request.content.userInfo)
            Screen.shared.status =
                await Self.push.chat(of: payload, among: Screen.shared.chats)
                .map { "You have come from a notification of \($0.cwd)." } ?? "The notification's chat is not known."
        }
    }
#endif
