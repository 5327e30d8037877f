import Cryptography
import JSON
import Testing

@testable import WebPushService

@Suite("Requests to push services")
struct PushRequestValidatorTests {
    let sample: SamplePush

    init() throws { sample = try SamplePush() }

    @Test("A request as documented is accepted and read, by each service", arguments: PushServiceProfile.allCases)
    func accepted(service: PushServiceProfile) throws {
        let verdict = try sample.verdict(service)
        #expect(verdict.rejection == nil)
        #expect(verdict.cause == nil)
        #expect(verdict.profile == service)
        #expect(verdict.token == SamplePush.token)
        #expect(verdict.timeToLive == 60)
        #expect(verdict.urgency == .high)
        #expect(verdict.topic == "run-42")
        #expect(verdict.encoding == "aes128gcm")
        #expect(verdict.claims?.subject == "mailto:push@example.com")
        #expect(verdict.deviations.isEmpty)
    }

    @Test("A message without body, urgency and topic is accepted with the defaults")
    func defaults() throws {
        let verdict = try sample.verdict(
            .mozilla, ["urgency": nil, "topic": nil, "content-encoding": nil, "ttl": "0"], body: [])
        #expect(verdict.isAccepted)
        #expect(verdict.timeToLive == 0)
        #expect(verdict.urgency == .normal)
        #expect(verdict.topic == nil)
        #expect(verdict.encoding == nil)
    }

    @Test(
        "Each service refuses a fault with its own status and reason",
        arguments: [
            (PushServiceProfile.apple, ["ttl": nil], PushRejection(status: 400, reason: "BadTtl")),
            (.apple, ["ttl": "2592001"], PushRejection(status: 400, reason: "BadTtl")),
            (.apple, ["urgency": "urgent"], PushRejection(status: 400, reason: "BadUrgency")),
            (.apple, ["topic": "a b"], PushRejection(status: 400, reason: "BadWebPushTopic")),
            (.apple, ["authorization": nil], PushRejection(status: 403, reason: "BadJwtToken")),
            (.apple, ["content-encoding": "aesgcm"], PushRejection(status: 400, reason: "BadRequest")),
            (.mozilla, ["ttl": nil], PushRejection(status: 400, reason: "Bad Request", errno: 111)),
            (.mozilla, ["ttl": "-1"], PushRejection(status: 400, reason: "Bad Request", errno: 112)),
            (.mozilla, ["topic": ""], PushRejection(status: 400, reason: "Bad Request", errno: 113)),
            (.mozilla, ["authorization": nil], PushRejection(status: 401, reason: "Unauthorized", errno: 109)),
            (.mozilla, ["content-encoding": nil], PushRejection(status: 400, reason: "Bad Request", errno: 110)),
            (.google, ["authorization": nil], PushRejection(status: 401, reason: "the VAPID credentials are missing")),
            (.google, ["ttl": "2419201"], PushRejection(status: 400, reason: "TTL is invalid")),
            (
                .microsoft, ["x-wns-cache-policy": "no-cache"],
                PushRejection(status: 400, reason: "X-WNS-Cache-Policy contradicts TTL")
            ),
            (
                .microsoft, ["ttl": "0"],
                PushRejection(status: 400, reason: "X-WNS-Cache-Policy contradicts TTL")
            ),
            (.standard, ["ttl": "1.5"], PushRejection(status: 400, reason: "TTL is invalid")),
        ] as [(PushServiceProfile, [String: String?], PushRejection)])
    func refusals(service: PushServiceProfile, changes: [String: String?], rejection: PushRejection) throws {
        let verdict = try sample.verdict(service, changes)
        #expect(verdict.rejection == rejection)
        #expect(verdict.cause?.isEmpty == false)
    }

    @Test("The largest body is accepted, and one byte more is 413", arguments: PushServiceProfile.allCases)
    func size(service: PushServiceProfile) throws {
        let longest = PushRequest.largestBody - EncryptedBody.headerSize
        #expect(try sample.verdict(service, body: sample.body(recordLength: longest)).isAccepted)
        let verdict = try sample.verdict(service, body: sample.body(recordLength: longest + 1))
        #expect(verdict.rejection?.status == 413)
        #expect(verdict.rejection?.errno == (service == .mozilla ? 104 : nil))
    }

    @Test("A subscription behind a bridge takes smaller bodies")
    func bridge() throws {
        let subscription = try sample.subscription(.mozilla, maximumBody: 3_070)
        let largest = try sample.body(recordLength: 3_070 - EncryptedBody.headerSize)
        let accepted = try sample.request(to: subscription, body: largest)
        #expect(sample.verdict(on: accepted, for: subscription).isAccepted)
        let refused = try sample.request(to: subscription, body: largest + [0])
        #expect(sample.verdict(on: refused, for: subscription).rejection?.status == 413)
    }

    @Test("A lifetime above the limit is shortened where the service does so, and refused in strict mode")
    func longTimeToLive() throws {
        let verdict = try sample.verdict(.mozilla, ["ttl": "99999999"])
        #expect(verdict.isAccepted)
        #expect(verdict.timeToLive == 2_592_000)
        #expect(verdict.deviations == [.longTimeToLive])
        let strict = try sample.verdict(.mozilla, ["ttl": "99999999"], rules: PushRules(isStrict: true))
        #expect(strict.rejection?.errno == 112)
        #expect(try sample.verdict(.apple, ["ttl": "2592000"]).deviations.isEmpty)
    }

    @Test(
        "A token for another origin, expired, or valid for too long is refused",
        arguments: [
            ("https://push.example.org", SamplePush.now + 60, "“aud”"),
            ("https://web.push.apple.com/", SamplePush.now + 60, "“aud”"),
            ("https://web.push.apple.com", SamplePush.now, "expired"),
            ("https://web.push.apple.com", SamplePush.now + 86_461, "24 hours"),
            ("https://web.push.apple.com", SamplePush.now * 1_000, "in seconds"),
        ])
    func tokens(audience: String, expiration: Int64, cause: String) throws {
        let authorization = try sample.authorization(
            audience: .string(audience), expiration: .integer(expiration))
        let verdict = try sample.verdict(.apple, ["authorization": authorization])
        #expect(verdict.rejection == PushRejection(status: 403, reason: "BadJwtToken"))
        #expect(try #require(verdict.cause).contains(cause))
        #expect(verdict.claims == nil)
    }

    @Test("The cause of a wrong audience shows the endpoint's whole origin, and an excerpt of the audience")
    func shownOrigins() throws {
        let authorization = try sample.authorization(
            audience: .string("https://push.example.org/" + String(repeating: "x", count: 40)))
        let verdict = try sample.verdict(.mozilla, ["authorization": authorization])
        let cause = try #require(verdict.cause)
        #expect(cause.hasSuffix("the endpoint's origin is “https://updates.push.services.mozilla.com”"))
        #expect(cause.contains("“https://push.example.org/xxxxxxxxxxxxxxx”… (65 characters)"))
    }

    @Test("A request to the service's own address may name that address as the audience")
    func direct() throws {
        let subscription = try sample.subscription(.google)
        let authorization = try sample.authorization(audience: "https://127.0.0.1:8030")
        var request = try sample.request(to: subscription, ["authorization": authorization])
        #expect(!sample.verdict(on: request, for: subscription).isAccepted)
        request.authority = "127.0.0.1:8030"
        #expect(sample.verdict(on: request, for: subscription).isAccepted)
        #expect(sample.verdict(on: request, for: subscription).profile == .google)
    }

    @Test("A token for any of Google's hosts is accepted by Google's endpoints, and by no other ones")
    func googleHosts() throws {
        let authorization = try sample.authorization(audience: "https://jmt17.google.com")
        #expect(try sample.verdict(.google, ["authorization": authorization]).isAccepted)
        #expect(try !sample.verdict(.mozilla, ["authorization": authorization]).isAccepted)
    }

    @Test(
        "A key other than the subscription's is refused with the service's reason",
        arguments: [
            (PushServiceProfile.apple, 400, "VapidPkHashMismatch"), (.mozilla, 401, "Unauthorized"),
            (.google, 403, "the VAPID credentials in the authorization header do not correspond"),
            (.microsoft, 403, "another VAPID key"), (.standard, 403, "another VAPID key"),
        ])
    func otherKey(service: PushServiceProfile, status: Int, reason: String) throws {
        let other = try SamplePush()
        let subscription = try sample.subscription(service)
        let verdict = other.verdict(on: try other.request(to: subscription), for: subscription)
        #expect(verdict.rejection?.status == status)
        #expect(try #require(verdict.rejection?.reason).contains(reason))
    }

    @Test("A subscription without a key takes requests without credentials where the service allows it")
    func anonymous() throws {
        for service in PushServiceProfile.allCases {
            let subscription = try sample.subscription(service, isRestricted: false)
            let request = try sample.request(to: subscription, ["authorization": nil])
            let isAllowed = service == .mozilla || service == .standard
            #expect(sample.verdict(on: request, for: subscription).isAccepted == isAllowed)
        }
    }

    @Test("A subject that Apple refuses is a deviation elsewhere")
    func subjects() throws {
        for (subject, deviation) in [
            (nil, PushDeviation.missingSubject), ("mailto:<a@example.com>", .malformedSubject),
            ("mailto:a@localhost", nil),
        ] as [(JSONValue?, PushDeviation?)] {
            let apple = try sample.subscription(.apple)
            let toApple = try sample.authorization(audience: .string(apple.origin), subject: subject)
            #expect(
                try sample.verdict(.apple, ["authorization": toApple]).rejection
                    == PushRejection(status: 403, reason: "BadJwtToken"))
            let mozilla = try sample.subscription(.mozilla)
            let toMozilla = try sample.authorization(audience: .string(mozilla.origin), subject: subject)
            let verdict = try sample.verdict(.mozilla, ["authorization": toMozilla])
            #expect(verdict.isAccepted)
            #expect(verdict.deviations == (deviation.map { [$0] } ?? []))
        }
    }

    @Test("A missing cache policy is a deviation, and refused in strict mode")
    func cachePolicy() throws {
        let verdict = try sample.verdict(.microsoft, ["x-wns-cache-policy": nil])
        #expect(verdict.deviations == [.missingCachePolicy])
        #expect(try sample.verdict(.microsoft, ["ttl": "0", "x-wns-cache-policy": "no-cache"]).isAccepted)
        let strict = try sample.verdict(
            .microsoft, ["x-wns-cache-policy": nil], rules: PushRules(isStrict: true))
        #expect(strict.rejection?.status == 400)
        #expect(try #require(strict.cause).contains("--strict"))
    }

    @Test("One profile for all endpoints applies its rules to the subscriptions of others")
    func oneProfile() throws {
        let verdict = try sample.verdict(.mozilla, ["ttl": nil], rules: PushRules(profile: .apple))
        #expect(verdict.profile == .apple)
        #expect(verdict.rejection == PushRejection(status: 400, reason: "BadTtl"))
    }

    @Test("A request to no subscription, to an ended one, with another method or a repeated field is refused")
    func otherFaults() throws {
        let subscription = try sample.subscription(.mozilla)
        let request = try sample.request(to: subscription)
        var validator = PushRequestValidator(rules: PushRules())
        let unknown = validator.validate(request, now: SamplePush.now) { _ in .unknown }
        #expect(unknown.rejection == PushRejection(status: 404, reason: "Not Found", errno: 102))
        let ended = validator.validate(request, now: SamplePush.now) { _ in .ended(subscription) }
        #expect(ended.rejection == PushRejection(status: 410, reason: "Gone", errno: 103))

        var changed = request
        changed.method = "PUT"
        #expect(sample.verdict(on: changed, for: subscription).rejection?.status == 405)
        changed = request
        changed.headers.append(("ttl", "60"))
        #expect(sample.verdict(on: changed, for: subscription).rejection?.errno == 101)
        changed = request
        changed.path = "/wpush/v2/"
        let noPath = sample.verdict(on: changed, for: subscription)
        #expect(noPath.rejection == PushRejection(status: 404, reason: "Not Found", errno: 102))
        #expect(noPath.token == nil)
    }

    @Test("Authorization is never among the fields that are kept")
    func keptHeaders() throws {
        let request = try sample.request(to: sample.subscription(.microsoft))
        let names = request.messageHeaders.map(\.name).sorted()
        #expect(names == ["content-encoding", "topic", "ttl", "urgency", "x-wns-cache-policy"])
    }
}
