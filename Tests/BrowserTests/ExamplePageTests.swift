import Cryptography
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

/// The page of examples/page, which has another origin than the gateway.
@Suite("Page of the examples in a browser", .serialized, .timeLimit(.minutes(10)))
struct ExamplePageTests {
    /// Returns the page's files by their paths, as a web server has them.
    private static func pages() throws -> [String: String] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../examples/page")
            .standardized
        var pages: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            pages[name == "index.html" ? "/" : "/\(name)"] = text
        }
        return pages
    }

    /// Enters what the form asks for, and presses its button.
    private func subscribe(_ browser: any DrivenBrowser, _ gateway: RunningGateway, secret: String) async throws {
        _ = try await browser.evaluate(
            """
            const fields = document.getElementById('subscribe').elements;
            fields.gateway.value = '\(gateway.url)/';
            fields.secret.value = '\(secret)';
            """)
        try await browser.click("#subscribe button")
    }

    /// Waits until the page has a text about the last button, and returns it.
    private func status(_ browser: any DrivenBrowser) async throws -> JSONValue {
        try await browser.wait(until: "document.getElementById('status').textContent")
        return try await browser.evaluate("return document.getElementById('status').textContent")
    }

    @Test(
        "The page subscribes, its worker displays a notification, and after it has unsubscribed there are no more",
        arguments: BrowserKind.allCases)
    func page(kind: BrowserKind) async throws {
        try await TestPushService.running { push in
            try await PageServer.running(try Self.pages()) { pages in
                let settings = push.gatewaySettings.merging(["webpush.allowedOrigins": pages.origin]) { $1 }
                try await withGateway(settings) { gateway in
                    try await push.withBrowser(kind, allowing: pages.origin) { browser in
                        let daemon = Daemon(gateway.caller)
                        try await browser.open(pages.origin + "/")
                        try await subscribe(browser, gateway, secret: daemon.secret)
                        #expect(try await status(browser) == "This browser is subscribed to /srv/app.")
                        let agent = SHA256.hexadecimal(of: "/srv/app")
                        let shown: JSONValue = [["app", "All tests pass.", .string(agent)]]
                        // Chromium forgets a notification if it is asked for all of them while it is about to display
                        // that one. So it is asked after a pause, each time after a message of its own.
                        var pause = Duration.milliseconds(500)
                        try await eventually("the notification is displayed") {
                            let sent = try await daemon.trigger(preview: "All tests pass.", waiting: 10)
                            #expect(sent.body["sent"] == 1, "\(sent.text)")
                            pause *= 2
                            try await Task.sleep(for: pause)
                            return try await browser.displayed() == shown
                        }

                        try await browser.click("#unsubscribe")
                        #expect(try await status(browser) == "This browser is unsubscribed.")
                        #expect(try await daemon.trigger().body["attempted"] == 0)
                        try await subscribe(browser, gateway, secret: "wrong-secret")
                        #expect(try await status(browser) != "This browser is subscribed to /srv/app.")
                        let kept = "return caches.open('push-settings').then(cache => cache.keys())"
                        #expect(try await browser.evaluate("\(kept).then(keys => keys.length)") == 0)
                    }
                }
            }
        }
    }
}
