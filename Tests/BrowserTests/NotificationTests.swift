import Cryptography
import JSON
import TestDoubles
import TestSupport
import Testing
import WebPushService

/// The way of a message from each call of the gateway to the displayed notification, in unmodified browsers that
/// subscribe at a push service on this machine.
@Suite("Notifications in the browsers of Debian", .serialized, .timeLimit(.minutes(10)))
struct NotificationTests {
    /// Runs a push service, a gateway that sends to it, and a browser that has subscribed on the page `/try`.
    private func withSubscriber(
        _ kind: BrowserKind, _ body: (RunningGateway, LocalPushService, any DrivenBrowser) async throws -> Void
    ) async throws {
        try await TestPushService.running { push in
            try await withGateway(push.gatewaySettings) { gateway in
                try await push.withBrowser(kind, allowing: gateway.url) { browser in
                    try await browser.open(gateway.url + "/try")
                    try await browser.subscribe()
                    try await body(gateway, push.service, browser)
                }
            }
        }
    }

    @Test(
        "A browser displays what a trigger, messages:send and a topic send, and nothing after it has unsubscribed",
        arguments: BrowserKind.allCases)
    func everyCall(kind: BrowserKind) async throws {
        try await withSubscriber(kind) { gateway, service, browser in
            // Chromium subscribes for purposes of its own, too, without a key.
            let subscriptions = service.subscriptions.filter { $0.applicationServerKey != nil }
            #expect(subscriptions.map(\.service) == [kind.service])
            #expect(try await browser.command().hasPrefix("curl \(gateway.url)/triggerReplyFinished "))
            let daemon = Daemon(gateway.caller, secret: try await browser.secret())
            let answer = try await daemon.trigger(cwd: "/try", preview: "All 128 tests pass now.", waiting: 10)
            #expect(answer.body["attempted"] == 1 && answer.body["sent"] == 1, "\(answer.text)")
            #expect(try await browser.title(of: "All 128 tests pass now.") == "This browser")

            let sender = try await MessageSender(gateway)
            let subscription = try await browser.evaluate(
                """
                return navigator.serviceWorker.ready.then(registration => registration.pushManager.getSubscription())
                    .then(subscription => subscription.toJSON())
                """)
            let token = try await sender.register(subscription)
            let direct = try await sender.send("Direct", "For this browser alone.", to: ["token": .string(token)])
            #expect(direct.status == 200, "\(direct.text)")
            #expect(try await browser.title(of: "For this browser alone.") == "Direct")

            try await sender.add(token, to: "news")
            let topic = try await sender.send("News", "For all who follow them.", to: ["topic": "news"])
            #expect(topic.status == 200, "\(topic.text)")
            #expect(try await browser.title(of: "For all who follow them.") == "News")

            let displayed: JSONValue = [
                ["Direct", "For this browser alone.", ""], ["News", "For all who follow them.", ""],
                ["This browser", "All 128 tests pass now.", .string(SHA256.hexadecimal(of: "/try"))],
            ]
            #expect(try await browser.displayed() == displayed)
            try await service.wait(for: 3, matching: MessageFilter(delivery: .acknowledged), timeout: .patience)
            #expect(service.received(matching: MessageFilter(delivery: .failed)).isEmpty)

            try await browser.unsubscribe()
            // A browser may tell the page before the service.
            try await eventually("the subscription has ended") {
                !service.subscriptions.contains { $0.applicationServerKey != nil }
            }
            #expect(try await daemon.trigger(cwd: "/try").body["attempted"] == 0)
            let late = try await sender.send("Late", "For nobody.", to: ["token": .string(token)])
            #expect(late.status == 404, "\(late.text)")
            #expect(late.body["error"]?["details"]?[0]?["errorCode"] == "UNREGISTERED")
            #expect(service.received(matching: MessageFilter(status: 201)).count == 3)
            #expect(try await browser.displayed() == displayed)
        }
    }

    @Test("The command that the page shows, run in a shell, notifies the browser")
    func shownCommand() async throws {
        try await withSubscriber(.chromium) { _, service, browser in
            let attempted = try await browser.runCommand()["attempted"]
            #expect(attempted == 1)
            #expect(try await browser.title(of: "Hello from my server.") == "This browser")
            let tag = JSONValue.string(SHA256.hexadecimal(of: "/try"))
            #expect(try await browser.displayed() == [["This browser", "Hello from my server.", tag]])
            #expect(service.received(matching: MessageFilter(status: 201)).count == 1)
        }
    }

    @Test("A message that Firefox cannot display is listed on the page, and the push service learns of the failure")
    func withoutDesktop() async throws {
        try await TestPushService.running { push in
            try await withGateway(push.gatewaySettings) { gateway in
                // Firefox hands notifications to a desktop that it does not find.
                try await Firefox.running(
                    push.addresses.firefoxPreferences + [(name: "alerts.useSystemBackend", value: "true")],
                    environment: ["DBUS_SESSION_BUS_ADDRESS": "disabled:"]
                ) { browser in
                    try await browser.open(gateway.url + "/try")
                    try await browser.subscribe()
                    let daemon = Daemon(gateway.caller, secret: try await browser.secret())
                    try await daemon.trigger(cwd: "/try", preview: "Done.")
                    #expect(try await browser.title(of: "Done.") == "This browser")
                    let failed = try await push.service.wait(
                        for: 1, matching: MessageFilter(delivery: .failed), timeout: .patience)
                    #expect(failed.map(\.deliveryCode) == [302])
                    #expect(try await browser.displayed() == [])
                }
            }
        }
    }
}
