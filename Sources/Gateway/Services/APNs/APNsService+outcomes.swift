import Messaging

extension APNsService {
    private static let keyAdvice =
        "Compare the key, its id, the team id and the bundle id with developer.apple.com; “pushgate doctor” helps. "
        + "The notification is kept."

    /// Apple's reasons
    /// ([Handling notification responses](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns)),
    /// and those of the transport and of its connections.
    static let outcomes = OutcomeTexts(
        acceptance: "Apple accepted it. A device that stays silent is off, or does not allow the app notifications.",
        reasons: [
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
            "TooManyRequests":
                "Too many notifications were sent to this device in a short time. It is sent again later.",
            "TooManyProviderTokenUpdates":
                "Apple got too many provider tokens: do other programs use the key? It is kept.",
            "AppNotConfigured":
                "The gateway has no key for this app. List its bundle id under apps in the configuration.",
            "CardWaits": """
            The update follows another one of its Live Activity too soon, or waits for its channel. It is sent later, \
            unless a newer one replaces it.
            """,
            "CardEnded": "The Live Activity has ended, so nothing is shown on it any more.",
            "CardHasNoChannel": """
            The Live Activity has no channel. Phones that have sent an update token get it by that; the log and \
            pushgate_cards_without_channel_total have the reason.
            """,
            "NotALiveActivity": "The message has no content for a Live Activity.",
            "couldNotConnect": """
            There is no connection to Apple; the log has the cause. Outgoing connections to Apple must be open on port \
            443. It is kept.
            """,
            "tls": """
            Apple's certificate is not trusted here: check ca-certificates and apns.caFile, and that no program \
            intercepts TLS. It is kept.
            """,
        ],
        codes: [.thirdPartyAuthError: "The push service refuses the gateway's credentials. \(keyAdvice)"],
        requirement: OutcomeTexts.Requirement(
            setting: "device tokens of Apple need apns.keyPath",
            advice:
                "its app has APNs device tokens, and there is no key of Apple's; set apns.keyPath, or register FCM tokens"
        ))
}
