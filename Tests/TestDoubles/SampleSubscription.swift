package import JSON

/// A browser's subscription, as `PushSubscription.toJSON()` gives it, with the keys of RFC 8291's example.
package enum SampleSubscription {
    package static let p256dh =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    package static let auth = "BTBZMqHH6r4Tts7J_aSIgg"
    package static let endpoint = "https://web.push.apple.com/QGuQ"

    package static func json(
        _ endpoint: String = Self.endpoint, p256dh: String = Self.p256dh, auth: String = Self.auth
    ) -> JSONValue {
        [
            "endpoint": .string(endpoint), "expirationTime": nil,
            "keys": ["p256dh": .string(p256dh), "auth": .string(auth)],
        ]
    }
}
