import Cryptography
import JSON
import Messaging
import Testing
import WebPush

@Suite("Tokens of subscriptions")
struct SubscriptionTokenTests {
    private static let json: JSONValue = [
        "endpoint": "https://web.push.apple.com/QGuQ",
        "keys": [
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        ],
    ]
    private static let text =
        "webpush:aHR0cHM6Ly93ZWIucHVzaC5hcHBsZS5jb20vUUd1UQ."
        + "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        + ".BTBZMqHH6r4Tts7J_aSIgg"

    @Test("A subscription has one text, which is read back")
    func text() throws {
        let subscription = try WebPushSubscription(Self.json)
        #expect(SubscriptionToken.text(of: subscription).value == Self.text)
        #expect(SubscriptionToken.subscription(of: RegistrationToken(Self.text)) == subscription)
    }

    @Test("A text has no character that ends a path or an argument, and fits the limits of tokens")
    func characters() throws {
        var json = Self.json.object ?? [:]
        let start = "https://push.example.net/"
        json["endpoint"] = .string(start + String(repeating: "~", count: 2_048 - start.utf8.count))
        let text = SubscriptionToken.text(of: try WebPushSubscription(.object(json))).value
        #expect(text.utf8.count < 4_096)
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:")
        #expect(text.allSatisfy { allowed.contains($0) })
        #expect(SubscriptionToken.subscription(of: RegistrationToken(text)) != nil)
    }

    private static func spelled(url: String) -> String {
        let rest = text.split(separator: ".").dropFirst().joined(separator: ".")
        return "webpush:\(Base64URL.encode(url.utf8)).\(rest)"
    }

    private static let others: [String] = [
        "", "webpush:", "webpush:..", String(text.dropLast()), text + "A", text + ".", "WEBPUSH:" + text.dropFirst(8),
        " " + text, text + "==", "https://web.push.apple.com/QGuQ", "emulated:" + text,
        text.replacing("webpush:", with: "webpush:APA91b"), text.replacing(".", with: ";"),
        spelled(url: "http://web.push.apple.com/QGuQ"), spelled(url: "https://Web.Push.Apple.com/QGuQ"),
        spelled(url: "https://web.push.apple.com:443/QGuQ"), spelled(url: ""),
        text.replacing("webpush:", with: "webpush:\u{301}"),
    ]

    @Test("Any other text is none, also one that spells its endpoint in another way", arguments: others)
    func otherTexts(text: String) {
        #expect(SubscriptionToken.subscription(of: RegistrationToken(text)) == nil)
        let parts = SubscriptionToken.parts(of: RegistrationToken(text))
        #expect(parts.token.value == text && parts.attributes.secrets.isEmpty)
        #expect(HostLane.isShared(parts.attributes.app.environment ?? "") && parts.attributes.app.bundleID == "web")
    }

    @Test("A text that begins as a token and is none has a reason, and no other text has one", arguments: others)
    func reasons(text: String) throws {
        let token = RegistrationToken(text)
        #expect((BrowserPushService.problem(with: token) != nil) == BrowserPushService.recognizes(token))
        #expect(BrowserPushService.problem(with: RegistrationToken(Self.text)) == nil)
        let padded = try #require(BrowserPushService.problem(with: RegistrationToken(Self.text + "==")))
        #expect(padded.text(in: "token").hasPrefix("token begins with webpush: and is no subscription: "))
        #expect(!padded.description.contains("QGuQ"))
    }

    @Test("A text that begins as a subscription's token is of this service, whatever follows")
    func meant() {
        for text in ["webpush:", "webpush:\u{301}", Self.text, Self.text + "A", String(Self.text.dropLast())] {
            #expect(BrowserPushService.recognizes(RegistrationToken(text)))
        }
        for text in ["", "webpush", "WEBPUSH:a", " webpush:", "https://web.push.apple.com/QGuQ", "a:webpush:"] {
            #expect(!BrowserPushService.recognizes(RegistrationToken(text)))
        }
    }

    @Test("An address has the endpoint as its token, the keys as secrets, and its service's lane")
    func address() throws {
        let forms = TokenForms(
            otherwise: .fcm, parts: { text, _ in SubscriptionToken.parts(of: text) }, recognized: { _ in .webPush })
        let app = AppIdentity(bundleID: "com.example.app", environment: "sandbox")
        let address = forms.address(of: Self.text, app: app)
        #expect(address.token.value == "https://web.push.apple.com/QGuQ")
        #expect(Set(address.attributes.secrets.keys) == ["p256dh", "auth"])
        #expect(address.lane == SubscriptionToken.lane(named: "apple"))
        #expect(address.lane.description == "webpush/web/apple")
        #expect(try SubscriptionToken.subscription(of: address) == WebPushSubscription(Self.json))
    }

    @Test("An address without keys, or with an endpoint that is none, has no subscription")
    func addressWithoutKeys() {
        let address = PushAddress(transport: .webPush, token: RegistrationToken("https://web.push.apple.com/QGuQ"))
        #expect(throws: SubscriptionError.self) { try SubscriptionToken.subscription(of: address) }
    }

    @Test("A description of an address contains neither its endpoint nor a key")
    func redaction() {
        let parts = SubscriptionToken.parts(of: RegistrationToken(Self.text))
        let address = PushAddress(transport: .webPush, token: parts.token, attributes: parts.attributes)
        var dumped = ""
        dump(address, to: &dumped)
        for text in ["\(address)", String(reflecting: address), dumped] {
            #expect(!text.contains("QGuQ") && !text.contains("BCVxsr7N") && !text.contains("BTBZMq"))
        }
    }
}
