import JSON
import Messaging
import TestDoubles
import WebPush

extension SampleSubscription {
    /// The text that stands for a subscription where a token is expected.
    static func text(_ endpoint: String = Self.endpoint) throws -> String {
        SubscriptionToken.text(of: try WebPushSubscription(json(endpoint))).value
    }

    /// Subscriptions that are refused, with the end of the sentence about each.
    static let refusals: [(json: JSONValue, text: String)] = [
        ([], " must be an object"), ("https://web.push.apple.com/QGuQ", " must be an object"),
        ([:], ".endpoint must be a text"),
        (json("http://web.push.apple.com/QGuQ"), ".endpoint must begin with https://"),
        (json("https://" + String(repeating: "a", count: 2_041)), ".endpoint must have at most 2048 bytes"),
        (json(p256dh: "AAAA"), ".keys.p256dh must be 65 bytes in base64url, and has 3"),
        (
            json(p256dh: String(p256dh.dropLast()) + "8"),
            ".keys.p256dh must be an uncompressed point on P-256, and is not on the curve"
        ),
        (json(auth: "AAAA"), ".keys.auth must be 16 bytes in base64url, and has 3"),
        (["endpoint": .string(endpoint)], ".keys must be an object"),
    ]
}
