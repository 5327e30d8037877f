import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Coding agents: browsers")
struct BrowserRegistrationTests {
    private func bench(
        refusal: @escaping @Sendable (PushAddress) -> SubscriptionRefusal? = { _ in nil }
    ) throws -> Bench {
        try Bench(services: { services in
            var services = services
            services.host.subscriptionRefusal = refusal
            return services
        })
    }

    private func call(_ subscription: JSONValue, installation: String = "browser", _ more: JSONObject = [:]) -> Call {
        var json: JSONObject = [
            "cwd": "/srv/app", "installation_id": .string(installation), "web_push": subscription,
        ]
        for (name, value) in more.members { json[name] = value }
        return Call(.object(json))
    }

    @Test("A browser registers its subscription in place of a token, and is notified at its endpoint")
    func registration() async throws {
        let bench = try bench()
        // The app of a token has no meaning for a subscription.
        let more: JSONObject = ["bundle_id": "com.example.app", "apns_environment": "sandbox"]
        let answer = try await bench.register(call(SampleSubscription.json(), more))
        #expect(answer.status == .ok && answer.body["agent_key"] == .string(Bench.agentKey))
        let device = try await bench.document(Bench.device("browser"))
        #expect(device?["fcmToken"]?.string == SampleSubscription.endpoint)
        #expect(device?["transport"] == "webpush" && device?["platform"] == "web" && device?["bundleId"] == "web")
        #expect(device?["addressAttributes"]?.map?["p256dh"]?.string == SampleSubscription.p256dh)
        #expect(device?["addressAttributes"]?.map?["auth"]?.string == SampleSubscription.auth)
        try await bench.running { _ = try await bench.trigger() }
        let address = try #require(bench.transport.sent.first?.target.address)
        #expect(address.transport.rawValue == "webpush" && address.token.value == SampleSubscription.endpoint)
        #expect(address.attributes.secrets["auth"] == SampleSubscription.auth)
    }

    @Test("A registration asks for receipts with a true alone, and a later one without it asks no more")
    func receipts() async throws {
        let bench = try bench()
        for (value, isAsking) in [(true, true), ("true", false), (true, true), (nil, false)] as [(JSONValue?, Bool)] {
            var more = JSONObject()
            more["receipts"] = value
            _ = try await bench.register(call(SampleSubscription.json(), more))
            let device = try await bench.document(Bench.device("browser"))
            #expect(device?["receipts"]?.boolean == (isAsking ? true : nil))
        }
    }

    @Test("A subscription and its text as a token are one registration, and the platform may be named")
    func text() async throws {
        let bench = try bench()
        _ = try await bench.register(.register("one", token: try SampleSubscription.text()))
        _ = try await bench.register(call(SampleSubscription.json(), installation: "two", ["platform": "android"]))
        let (one, two) = (
            try await bench.document(Bench.device("one")), try await bench.document(Bench.device("two"))
        )
        #expect(one?["fcmToken"] == two?["fcmToken"] && one?["addressAttributes"] == two?["addressAttributes"])
        #expect(one?["platform"] == "ios" && two?["platform"] == "android")
        try await bench.running {
            let answer = try await bench.trigger()
            #expect(answer.body["attempted"] == 1)
        }
    }

    @Test(
        "A subscription that cannot be sent to is refused by the name of its part, and nothing is stored",
        arguments: SampleSubscription.refusals)
    func refused(json: JSONValue, text: String) async throws {
        let bench = try bench()
        let answer = try await bench.register(call(json))
        #expect(answer.status == .badRequest)
        #expect(answer.body == ["error": "web_push_invalid", "message": .string("web_push" + text)])
        #expect(try await bench.documents().isEmpty)
    }

    @Test(
        "A token that begins like the text of a subscription and is none is refused with the reason",
        arguments: [
            ("webpush:", "the subscription must have three parts, webpush:{endpoint}.{p256dh}.{auth}"),
            ("webpush:%.a.b", "endpoint must be a URL in base64url"),
            ("webpush:aHR0cDovL2EuZXhhbXBsZS8.a.b", "endpoint must begin with https://"),
            ("webpush:aHR0cHM6Ly9hLmV4YW1wbGUv.AAAA.b", "keys.p256dh must be 65 bytes in base64url, and has 3"),
        ])
    func damagedText(text: String, reason: String) async throws {
        let bench = try bench()
        let answer = try await bench.register(.register("browser", token: text))
        let message = "fcm_token begins with webpush: and is no subscription: \(reason)"
        #expect(answer.status == .badRequest)
        #expect(answer.body == ["error": "fcm_token_invalid", "message": .string(message)])
        #expect(try await bench.documents().isEmpty)
    }

    @Test("An endpoint that the running service would not send to is refused")
    func policy() async throws {
        let bench = try bench { address in
            address.token.value.contains("apple") ? nil : .invalid(SubscriptionError("endpoint", "must be elsewhere"))
        }
        #expect(try await bench.register(call(SampleSubscription.json())).status == .ok)
        let elsewhere = SampleSubscription.json("https://push.example/1")
        let answer = try await bench.register(call(elsewhere, installation: "b"))
        #expect(answer.body == ["error": "web_push_invalid", "message": "web_push.endpoint must be elsewhere"])
    }

    @Test("Without Web Push a subscription is refused with the setting that the operator sets")
    func switchedOff() async throws {
        let bench = try bench { _ in .switchedOff("Web Push is off; set webpush.subject") }
        let answer = try await bench.register(call(SampleSubscription.json()))
        let message = "web_push cannot be taken by this gateway: Web Push is off; set webpush.subject"
        #expect(answer.status == .badRequest)
        #expect(answer.body == ["error": "web_push_not_configured", "message": .string(message)])
        #expect(try await bench.documents().isEmpty)
    }

    @Test("A registration has a token or a subscription, not both and not neither")
    func either() async throws {
        let bench = try bench()
        let both = try await bench.register(call(SampleSubscription.json(), ["fcm_token": "token-1"]))
        let message = "send either fcm_token or web_push, not both"
        #expect(both.status == .badRequest && both.body == ["error": "bad_request", "message": .string(message)])
        #expect(try await bench.register(call(nil)).withoutMessage == .badRequest)
        #expect(try await bench.documents().isEmpty)
        // A field that counts as absent is no second one.
        #expect(try await bench.register(call(SampleSubscription.json(), ["fcm_token": " "])).status == .ok)
        #expect(try await bench.register(call(nil, ["fcm_token": "token-1"])).status == .ok)
    }

    @Test("A field that is too long and a missing one are reported before the subscription")
    func order() async throws {
        let bench = try bench()
        let long = JSONValue.string(String(repeating: "x", count: 5_000))
        #expect(
            try await bench.register(call([:], ["platform": long])).withoutMessage == .error(400, "platform_too_long"))
        #expect(try await bench.register(Call(["cwd": "/srv/app", "web_push": [:]])).withoutMessage == .badRequest)
    }

    @Test("A trigger leaves out the browser whose subscription, or endpoint, it names")
    func excluded() async throws {
        let bench = try bench()
        let other = "https://push.example/1"
        _ = try await bench.register(call(SampleSubscription.json(), installation: "one"))
        _ = try await bench.register(call(SampleSubscription.json(other), installation: "two"))
        _ = try await bench.register(.register("phone", token: "token-1"))
        try await bench.running {
            let ways: [JSONValue] = [
                SampleSubscription.json(other), ["endpoint": .string(other)], .string(" \(other) "),
            ]
            for excluded in ways {
                let answer = try await bench.trigger(.trigger(["exclude_web_push": excluded])).body
                #expect(answer["attempted"] == 2 && answer["excluded"] == 1, "\(excluded)")
            }
            let both: JSONObject = ["exclude_web_push": .string(other), "exclude_fcm_token": "token-1"]
            #expect(try await bench.trigger(.trigger(both)).body["excluded"] == 2)
            for nobody in ["https://push.example/2", nil, 7, [], ["keys": [:]]] as [JSONValue] {
                #expect(try await bench.trigger(.trigger(["exclude_web_push": nobody])).body["excluded"] == 0)
            }
        }
        let long = String(repeating: "x", count: 4_097)
        for value in [.string(long), ["endpoint": .string(long)]] as [JSONValue] {
            let answer = try await bench.trigger(.trigger(["exclude_web_push": value]))
            #expect(answer.withoutMessage == .error(400, "exclude_web_push_too_long"))
        }
    }
}
