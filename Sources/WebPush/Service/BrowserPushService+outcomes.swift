package import Messaging

extension BrowserPushService {
    private static let resubscribe = "The page must subscribe again."
    private static let keyAdvice =
        "Compare webpush.subject and the key with those at the time of the subscription; “pushgate doctor” helps."

    /// The words of the services, and those of the transport.
    package static let outcomes = OutcomeTexts(
        acceptance: """
            The browser's push service accepted it. A device that stays silent is off, its browser is not running, or \
            the page may not show notifications.
            """,
        reasons: [
            "HTTP404": "The push service does not know the subscription. \(resubscribe)",
            "HTTP410": "The subscription has ended: the user has taken the permission back. \(resubscribe)",
            "Unregistered": "The subscription has ended. \(resubscribe)",
            "BadDeviceToken": "Apple does not know the subscription. \(resubscribe)",
            "Errno102": "Mozilla does not know the subscription. \(resubscribe)",
            "Errno103": "The subscription has ended. \(resubscribe)",
            "Errno105": "The subscription has ended: the endpoint is no longer valid. \(resubscribe)",
            "Errno106": "The subscription has ended: the page or the user has unsubscribed. \(resubscribe)",
            "HTTP401": "The push service refuses the gateway's identity. \(keyAdvice) It is kept.",
            "HTTP403": """
            The push service refuses the gateway's identity for this subscription, which was probably made with \
            another key. \(keyAdvice) It is sent again for an hour, and then given up.
            """,
            "Errno109": "Mozilla refuses the gateway's identity for this subscription. \(keyAdvice) It is kept.",
            "BadJwtToken": """
            Apple refuses the gateway's token: webpush.subject must be a real address, and this machine's clock must \
            be right. It is kept.
            """,
            "ExpiredJwtToken": "Apple takes the gateway's token for an old one. Set this machine's clock, by NTP.",
            "VapidPkHashMismatch": "The subscription was made with another key than the gateway's. \(resubscribe)",
            "BadTtl": "Apple refuses the lifetime of the message.",
            "PayloadTooLarge": """
            The message is too long, even with its body cut: the limit is about 4,000 bytes, and 2,800 for some \
            services. Its data must be shorter.
            """,
            "HTTP406": "Microsoft limits the rate of messages. It is sent again later.",
            "HTTP429": "The push service limits the rate of messages. It is sent again later.",
            "Dropped": "Microsoft has dropped the notification: the user does not want it, or it was too much.",
            "NoSubscriber": "The distributor has no subscriber for the topic at the moment. It is sent again.",
            "Redirected": "The server answers with a redirect, which is not followed. \(resubscribe)",
            "HostBusy": """
            The host has used its share of the lane, in which others would have to wait. The message waits for its \
            turn.
            """,
            "HostResting": "The host did not answer lately, so it gets no request for a while. It is kept.",
            "EndpointNotAllowed": """
            The subscription's server has a port, a name or an address that is not allowed: webpush.allowedPorts and \
            webpush.allowedHosts.
            """,
            "AddressNotAllowed": """
            The subscription's host has no public address. If it is a distributor of your own, name it in \
            webpush.allowedHosts: the message is sent again.
            """,
            "InvalidSubscription": "The registration has no keys of a subscription. \(resubscribe)",
            "CannotEncrypt": "The message could not be encrypted; the log has the cause.",
            "tls": """
            The certificate of the subscription's server is not trusted here: check ca-certificates and \
            webpush.caFile, and that no program intercepts TLS. It is kept.
            """,
        ],
        codes: [
            .registrationTokenNotRegistered: "The subscription has ended. \(resubscribe)",
            .thirdPartyAuthError: "The push service refuses the gateway's identity. \(keyAdvice) It is sent again.",
            .mismatchedCredential: """
            The push service refuses the gateway's identity for this subscription, which was probably made with \
            another key. \(resubscribe)
            """,
        ],
        requirement: OutcomeTexts.Requirement(
            setting: "subscriptions of browsers webpush.subject",
            advice: "it is a browser's subscription, and Web Push is off; set webpush.subject"))
}
