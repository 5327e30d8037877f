package import Messaging

/// The meaning of what happened to a notification, in words for people, and what to do if it went wrong.
package enum Explanation {
    /// Returns the meaning of an acceptance.
    package static func acceptance(by transport: TransportName) -> String {
        switch transport {
        case .apns: "Apple accepted it. A device that stays silent is off, or does not allow the app notifications."
        case .fcm: "Google accepted it. A device that stays silent is off, or does not allow the app notifications."
        default: "It is in this gateway's inbox, and reached no device; “pushgate inbox” shows it."
        }
    }

    /// The meaning of a superseded notification.
    package static let superseded =
        "A newer message with the same collapse id replaced it before a push service accepted it, so it was not sent."

    /// Returns the meaning of a rejection or a failed attempt.
    ///
    /// - Parameter reason: the push service's own word, or one of the gateway.
    package static func failure(_ code: MessagingErrorCode, reason: String) -> String {
        // Google's codes may have a detail in parentheses.
        let word = String(reason.prefix { $0 != " " })
        return reasons[word] ?? codes[code] ?? "The push service gave no reason that this gateway knows."
    }

    private static let keyAdvice =
        "Compare the key, its id, the team id and the bundle id with developer.apple.com; “pushgate doctor” helps. "
        + "The notification is kept."

    /// Apple's reasons
    /// ([Handling notification responses](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns)),
    /// FCM's codes, and reasons of the gateway.
    private static let reasons: [String: String] = [
        "Unregistered": "The app was deleted from the device, or has a new token. It must register again.",
        "ExpiredToken": "The device's token is expired. The app must register again.",
        "BadDeviceToken": """
        Apple does not know the token in this environment: tokens of apps from Xcode are of sandbox, those of \
        TestFlight and the App Store of production.
        """,
        "DeviceTokenNotForTopic": "The token is of another app than the bundle id.",
        "BadTopic": "Apple does not know the topic. Correct the app's bundle id in the configuration.",
        "TopicDisallowed":
            "The key may not send to this topic: the app belongs to another team, or the key is limited.",
        "PayloadTooLarge": "The message has more than Apple's 4,096 bytes, even with its body cut.",
        "InvalidProviderToken": "Apple refuses the key. \(keyAdvice)",
        "ExpiredProviderToken": "Apple takes the provider token for an old one. Set this machine's clock, by NTP.",
        "BadEnvironmentKeyIdInToken": "The key is not for this environment. \(keyAdvice)",
        "UnrelatedKeyIdInToken": "The key is not for this app. \(keyAdvice)",
        "TooManyRequests": "Too many notifications were sent to this device in a short time. It is sent again later.",
        "TooManyProviderTokenUpdates": "Apple got too many provider tokens: do other programs use the key? It is kept.",
        "Expired": "The message's time was over before the push service took it.",
        "AppNotConfigured": "The gateway has no key for this app. List its bundle id under apps in the configuration.",
        "NoTransportForToken": """
        The gateway has no push service for this kind of token: device tokens of Apple need apns.keyPath, \
        registration tokens of FCM fcm.relay.serviceAccount.
        """,
        "Scripted": "A script of the emulator gave this answer; “pushgate script --reset” removes it.",
        "UNREGISTERED": "The app was deleted from the device, or has a new token. It must register again.",
        "SENDER_ID_MISMATCH": "The token belongs to another Firebase project than the relay's service account.",
        "QUOTA_EXCEEDED": "Too many messages were sent, to this device or by the project. It is sent again later.",
        "THIRD_PARTY_AUTH_ERROR": """
        Apple refuses the key that the Firebase project has: Firebase's console, Cloud Messaging. It is kept.
        """,
        "timedOut": "The push service did not answer in time. It is sent again.",
        "couldNotConnect": """
        There is no connection to the push service; the log has the cause. Outgoing connections to it must be open, to \
        Apple and Google on port 443. It is kept.
        """,
        "tls": """
        The push service's certificate is not trusted here: check ca-certificates and apns.caFile, and that no \
        program intercepts TLS. It is kept.
        """,
        "connectionLost": "The connection broke. It is sent again, under the same id.",
    ]

    /// For reasons that have no text of their own.
    private static let codes: [MessagingErrorCode: String] = [
        .registrationTokenNotRegistered: "The token is no longer valid. The app must register again.",
        .invalidRegistrationToken: "The push service does not know the token.",
        .invalidArgument: "The push service takes the message for invalid.",
        .mismatchedCredential: "The token belongs to another sender.",
        .messageRateExceeded: "Too many messages were sent. It is sent again later.",
        .thirdPartyAuthError: "The push service refuses the gateway's credentials. \(keyAdvice)",
        .serverUnavailable: "The push service cannot be reached, or says that it is not available. It is kept.",
        .internalError: "The push service reports an error of its own. It is sent again later.",
    ]
}
