import HTTPTypes
import JSON
import TestSupport
import Testing
import WebPushService

/// The faults on the way to browsers.
extension Fault {
    private typealias Browser = (subscription: Subscription, keys: SubscriptionKeys)

    /// Runs a gateway and a push service, with a browser that is registered at the gateway.
    private static func withBrowser(
        of profile: PushServiceProfile,
        _ body: (RunningGateway, Daemon, LocalPushService, Browser) async throws -> Void
    ) async throws {
        var configuration = LocalPushServiceConfiguration()
        configuration.usesServiceNames = true
        let service = LocalPushService(configuration: configuration)
        let addresses = try await service.start()
        do {
            let browser = try service.subscribe(profile)
            let server = addresses.push.replacing("https://", with: "")
            let settings = [
                "webpush.subject": "mailto:ops@pushgate.dev",
                "webpush.caFile": addresses.certificateAuthorityPath,
                "webpush.connectTo":
                    ["web.push.apple.com", "updates.push.services.mozilla.com"].map { "\($0)=\(server)" }
                    .joined(separator: ","),
            ]
            try await withGateway(settings) { gateway in
                let daemon = Daemon(gateway.caller)
                try await register(browser, for: daemon, in: gateway)
                try await body(gateway, daemon, service, browser)
            }
            await service.shutdown()
        } catch {
            await service.shutdown()
            throw error
        }
    }

    /// Registers a browser.
    ///
    /// - Parameter former: the browser with its former subscription, if that is replaced.
    private static func register(
        _ browser: Browser, replacing former: Browser? = nil, for daemon: Daemon, in gateway: RunningGateway
    ) async throws {
        var body: JSONObject = ["cwd": "/srv/app", "installation_id": "browser", "web_push": json(of: browser)]
        body["replaces"] = former.map { json(of: $0) }
        let answer = try await gateway.caller.call("registerSubscription", .object(body), secret: daemon.secret)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private static func json(of browser: Browser) -> JSONValue {
        [
            "endpoint": .string(browser.subscription.endpoint),
            "keys": ["p256dh": .string(browser.keys.p256dh), "auth": .string(browser.keys.auth)],
        ]
    }

    /// Returns a fault of a browser's subscription, which is notified after a change at its push service.
    private static func browser(
        _ name: String, _ causes: String..., of profile: PushServiceProfile = .apple, words: [String],
        change: @escaping @Sendable (LocalPushService, Subscription) -> Void
    ) -> Fault {
        Fault(name, causes, words: words) { ask in
            try await withBrowser(of: profile) { gateway, daemon, service, browser in
                change(service, browser.subscription)
                try await daemon.trigger(preview: "Done.")
                try await gateway.untilAttempted()
                try await ask(gateway, "browser")
            }
        }
    }

    /// The answers of browsers' push services.
    static let browsers = [
        browser("subscription ended", "registration-gone", words: ["subscription has ended"]) { service, subscription in
            _ = service.endSubscription(token: subscription.token)
        },
        Fault(
            "subscription changed", ["registration-gone"], words: ["subscription has ended", "must subscribe again"]
        ) { ask in
            try await withBrowser(of: .apple) { gateway, daemon, service, former in
                // The browser exchanges its subscription, and the page does not tell the gateway.
                let next = try service.subscribe(.apple)
                #expect(service.endSubscription(token: former.subscription.token))
                try await daemon.trigger(preview: "Lost.")
                try await gateway.untilAttempted()
                try await ask(gateway, "browser")
                // Then it does.
                try await register(next, replacing: former, for: daemon, in: gateway)
                try await daemon.trigger(preview: "Arrives.")
                try await gateway.untilAttempted()
                let answer = try await gateway.ask("/v1/diagnoses", .post, ["of": "browser"])
                #expect(answer.body["cause"] == "accepted", "\(answer.text)")
            }
        },
        browser("address of the sender refused", "sender-refused", words: ["BadJwtToken", "webpush.subject"]) {
            service, _ in
            service.script(token: nil, answers: [ScriptedPushAnswer(status: 403, reason: "BadJwtToken", count: nil)])
        },
        browser("subscription of another key", "message-rejected", words: ["VapidPkHashMismatch", "another key"]) {
            service, _ in
            service.script(
                token: nil, answers: [ScriptedPushAnswer(status: 400, reason: "VapidPkHashMismatch", count: nil)])
        },
        browser("rate limit of browsers", "rate-limited", of: .mozilla, words: ["It is sent again later"]) {
            service, _ in
            service.script(token: nil, answers: [ScriptedPushAnswer(status: 429, count: nil)])
        },
    ]
}
