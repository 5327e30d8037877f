import JSON
import TestSupport
import Testing
import WebPushService

/// The faults on the way to browsers.
extension Fault {
    /// Returns a fault of a browser's subscription, which is notified after a change at its push service.
    private static func browser(
        _ name: String, _ causes: String..., of profile: PushServiceProfile = .apple, words: [String],
        change: @escaping @Sendable (LocalPushService, Subscription) -> Void
    ) -> Fault {
        Fault(name, causes, words: words) { ask in
            var configuration = LocalPushServiceConfiguration()
            configuration.usesServiceNames = true
            let service = LocalPushService(configuration: configuration)
            let addresses = try await service.start()
            do {
                let (subscription, keys) = try service.subscribe(profile)
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
                    let body: JSONValue = [
                        "cwd": "/srv/app", "installation_id": "browser",
                        "web_push": [
                            "endpoint": .string(subscription.endpoint),
                            "keys": ["p256dh": .string(keys.p256dh), "auth": .string(keys.auth)],
                        ],
                    ]
                    let answer = try await gateway.caller.call(
                        "registerSubscription", body, secret: daemon.secret)
                    #expect(answer.status == 200, "\(answer.text)")
                    change(service, subscription)
                    try await daemon.trigger(preview: "Done.")
                    try await gateway.untilAttempted()
                    try await ask(gateway, "browser")
                }
                await service.shutdown()
            } catch {
                await service.shutdown()
                throw error
            }
        }
    }

    /// The answers of browsers' push services.
    static let browsers = [
        browser("subscription ended", "registration-gone", words: ["subscription has ended"]) { service, subscription in
            _ = service.endSubscription(token: subscription.token)
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
