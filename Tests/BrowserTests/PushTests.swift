import Cryptography
import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing
import WebPush
import WebPushService

/// Tests of Web Push with unmodified browsers, which decrypt each message and run the page's service worker.
@Suite("Web Push in a browser", .serialized, .timeLimit(.minutes(10)))
struct PushTests {
    /// A page that subscribes and collects the texts of messages, with its worker.
    static let pages = [
        "/": """
        <!doctype html>
        <title>Subscriber</title>
        <script>
            var received = [];
            var subscription = null;
            var failure = null;
            navigator.serviceWorker.addEventListener("message", event => received.push(event.data));
            async function subscribe(key) {
                const registration = await navigator.serviceWorker.register("/worker.js");
                await navigator.serviceWorker.ready;
                subscription = await registration.pushManager.subscribe(
                    {userVisibleOnly: true, applicationServerKey: key});
            }
        </script>
        """,
        "/worker.js": """
        self.addEventListener("install", event => event.waitUntil(self.skipWaiting()));
        self.addEventListener("activate", event => event.waitUntil(self.clients.claim()));
        self.addEventListener("push", event => event.waitUntil((async () => {
            const text = event.data ? event.data.text() : "";
            await self.registration.showNotification("Message", {body: text, tag: text});
            for (const client of await self.clients.matchAll({includeUncontrolled: true})) client.postMessage(text);
        })()));
        """,
    ]

    /// Runs a push service, and a browser on a page that has subscribed at it with the key.
    private func withSubscriber(
        _ kind: BrowserKind, _ key: String,
        _ body: (LocalPushService, LocalPushServiceAddresses, any DrivenBrowser, JSONValue) async throws -> Void
    ) async throws {
        try await TestPushService.running { push in
            try await PageServer.running(Self.pages) { pages in
                try await push.withBrowser(kind, allowing: pages.origin) { browser in
                    let made = try await browser.subscribe(on: pages, key)
                    try await body(push.service, push.addresses, browser, made)
                }
            }
        }
    }

    /// Sends a text to a subscription, encrypted for it alone, at the service's own address.
    private func push(
        _ text: String, to subscription: JSONValue, _ addresses: LocalPushServiceAddresses, _ key: ES256PrivateKey
    ) async throws -> HTTPClientResponse {
        let endpoint = try #require(URL(string: subscription["endpoint"]?.string ?? ""))
        let receiver = try ReceiverKeys(
            p256dh: subscription["keys"]?["p256dh"]?.string ?? "", auth: subscription["keys"]?["auth"]?.string ?? "")
        let token = try VAPIDToken.signed(
            audience: "https://\(endpoint.host ?? "")", subject: "mailto:push@example.com",
            expiration: Int64(Date.now.timeIntervalSince1970) + 3_600, with: key)
        var fields: HTTPFields = [.contentEncoding: "aes128gcm"]
        fields[.authorization] = VAPIDToken.authorization(
            token, publicKey: Base64URL.encode(try key.publicKey.point().bytes))
        for (name, value) in ["ttl": "60", "urgency": "high"] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let body = try MessageEncryption.encrypt(
            Array(text.utf8), for: receiver, senderKey: .generate(), salt: RandomBytes.generate(16))
        var configuration = HTTPClient.Configuration()
        configuration.caFile = addresses.certificateAuthorityPath
        return try await withHTTPClient(configuration) { client in
            try await client.execute(
                HTTPClientRequest(
                    method: .post, url: addresses.push + endpoint.path, headerFields: fields, body: body,
                    deadline: .patience))
        }
    }

    @Test(
        "A browser subscribes on a page, decrypts messages, shows them and acknowledges them",
        arguments: BrowserKind.allCases)
    func encrypted(kind: BrowserKind) async throws {
        let key = try ES256PrivateKey.generate()
        let publicKey = Base64URL.encode(try key.publicKey.point().bytes)
        try await withSubscriber(kind, publicKey) { service, addresses, browser, subscription in
            // Chromium chooses one of Google's hosts by itself, and subscribes for purposes of its own, too.
            let endpoint = try #require(subscription["endpoint"]?.string)
            let known = try #require(service.subscriptions.first { endpoint.hasSuffix("/" + $0.token) })
            #expect(known.service == kind.service)
            #expect(known.applicationServerKey == publicKey)

            let texts = ["The build has finished. ✓", String(repeating: "long ", count: 700)]
            for text in texts {
                let response = try await push(text, to: subscription, addresses, key)
                #expect(response.statusCode == 201)
            }
            try await service.wait(for: 2, matching: MessageFilter(delivery: .acknowledged), timeout: .patience)
            try await browser.wait(until: "window.received.length === 2")
            let received = try await browser.evaluate("return window.received")
            #expect(Set(received.array ?? []) == Set(texts.map(JSONValue.string)))
            let shown = try await browser.displayed()
            #expect(Set((shown.array ?? []).compactMap { $0[1] }) == Set(texts.map(JSONValue.string)))

            let other = try await push("Forged.", to: subscription, addresses, .generate())
            #expect(other.statusCode == (kind == .firefox ? 401 : 403))
            #expect(service.endSubscription(token: known.token))
            let late = try await push("Too late.", to: subscription, addresses, key)
            #expect(late.statusCode == 410)
            #expect(try await browser.evaluate("return window.received.length") == 2)
        }
    }
}

extension DrivenBrowser {
    /// Opens the page of ``PushTests/pages``, and returns the subscription that it makes with a key.
    func subscribe(on pages: PageServer, _ key: String) async throws -> JSONValue {
        try await open(pages.origin + "/")
        // A subscription waits for the check-in, which a slow machine may not finish in a script's time.
        _ = try await evaluate(#"window.subscribe("\#(key)").catch(error => { window.failure = `${error}` })"#)
        try await wait(until: "window.subscription || window.failure")
        #expect(try await evaluate("return window.failure") == .null)
        return try await evaluate("return window.subscription.toJSON()")
    }
}
