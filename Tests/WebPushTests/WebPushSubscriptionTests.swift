import Cryptography
import JSON
import Messaging
import Testing
import WebPush

@Suite("Subscriptions of browsers")
struct WebPushSubscriptionTests {
    private static let p256dh =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    private static func json(
        endpoint: JSONValue = "https://push.example.net/p/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
        p256dh: JSONValue = .string(p256dh), auth: JSONValue = .string(auth)
    ) -> JSONValue {
        ["endpoint": endpoint, "expirationTime": nil, "keys": ["p256dh": p256dh, "auth": auth]]
    }

    @Test("A subscription is read in the form of PushSubscription.toJSON()")
    func read() throws {
        let subscription = try WebPushSubscription(Self.json())
        #expect(subscription.endpoint.url == "https://push.example.net/p/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV")
        #expect(subscription.keys.publicKey.bytes.count == 65)
        #expect(subscription.keys.authenticationSecret.count == 16)
        #expect(subscription.keys.p256dh == Self.p256dh && subscription.keys.auth == Self.auth)
    }

    @Test("Keys with padding or in the other alphabet of base64 are the same keys")
    func otherAlphabet() throws {
        let inOther = Self.p256dh.replacing("-", with: "+").replacing("_", with: "/")
        let read = try WebPushSubscription(Self.json(p256dh: .string(inOther + "="), auth: .string(Self.auth + "==")))
        #expect(read == (try WebPushSubscription(Self.json())))
    }

    private static let refusals: [(JSONValue, String)] = [
        ([], "the subscription must be an object"), ("text", "the subscription must be an object"),
        ([:], "endpoint must be a text"), (json(endpoint: 1), "endpoint must be a text"),
        (["endpoint": "https://a.example/"], "keys must be an object"),
        (["endpoint": "https://a.example/", "keys": []], "keys must be an object"),
        (json(p256dh: nil), "keys.p256dh must be a text"), (json(auth: 5), "keys.auth must be a text"),
        (json(p256dh: "not base64url!"), "keys.p256dh must be 65 bytes in base64url"),
        (json(p256dh: "AAAA"), "keys.p256dh must be 65 bytes in base64url, and has 3"),
        (json(p256dh: ""), "keys.p256dh must be 65 bytes in base64url, and has 0"),
        (json(auth: "AAAA"), "keys.auth must be 16 bytes in base64url, and has 3"),
        (json(auth: .string(auth + "=")), "keys.auth must be 16 bytes in base64url"),
        (json(endpoint: "http://a.example/"), "endpoint must begin with https://"),
    ]

    @Test(
        "A subscription that lacks a part, or has one of another kind, is refused by the name of the part",
        arguments: refusals)
    func refused(json: JSONValue, error: String) {
        let thrown = #expect(throws: SubscriptionError.self) { try WebPushSubscription(json) }
        #expect(thrown?.description == error)
    }

    @Test("A key that is no point on the curve is refused")
    func offTheCurve() throws {
        let point = try #require(Base64URL.decode(Self.p256dh))
        let wrong: [[UInt8]] = [
            Array(point.dropLast()) + [point[64] ^ 1], [5] + Array(point.dropFirst()),
            [4] + [UInt8](repeating: 0, count: 64),
        ]
        for bytes in wrong {
            let thrown = #expect(throws: SubscriptionError.self) {
                try WebPushSubscription(Self.json(p256dh: .string(Base64URL.encode(bytes))))
            }
            #expect(thrown?.member == "keys.p256dh")
        }
    }

    @Test("A description contains neither the path of the endpoint nor a key")
    func redaction() throws {
        let subscription = try WebPushSubscription(Self.json())
        var dumped = ""
        dump(subscription, to: &dumped)
        for text in ["\(subscription)", String(reflecting: subscription), dumped] {
            #expect(!text.contains("JzLQ3raZ"))
            #expect(!text.contains(Self.p256dh) && !text.contains(Self.auth))
            #expect(text.contains("push.example.net"))
        }
    }
}
