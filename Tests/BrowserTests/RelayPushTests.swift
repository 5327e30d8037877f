import ClientCryptography
import Foundation
import Gateway
import HTTPTypes
import JSON
import PushgateClient
import TestDoubles
import TestSupport
import Testing
import WebPushService

/// Tests the whole way to a browser: client library, a self-hoster's gateway, the author's relay, a push service, an
/// unmodified browser, and back into the client library.
@Suite("Author's relay before the browsers of Debian", .serialized, .timeLimit(.minutes(10)))
struct RelayPushTests {
    private static let host = "relay.example.com"

    /// Runs a relay before a push service, and a gateway that sends through it.
    private func withRelay(
        _ push: TestPushService, _ body: (_ relay: RunningGateway, _ gateway: RunningGateway) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let files = try TLSFiles(in: folder, name: Self.host)
            let settings = [
                "relay.enabled": "true", "http.publicUrl": "https://\(Self.host)",
                "relay.callsPerMinutePerAddress": "0",
            ]
            let all = settings.merging(push.gatewaySettings) { $1 }.merging(files.settings) { $1 }
            try await withGateway(all) { relay in
                let port = try #require(await relay.gateway.listening()?.https?.split(separator: ":").last)
                let sending = [
                    "relay.hosts": Self.host, "relay.caFile": files.caFile,
                    "relay.connectTo": "\(Self.host)=127.0.0.1:\(port)",
                ]
                try await withGateway(sending) { gateway in try await body(relay, gateway) }
            }
        }
    }

    /// Returns the app's target at the relay: a browser's subscription.
    private func target(_ subscription: JSONValue) throws -> RelayTarget {
        .webPush(
            endpoint: try #require(URL(string: subscription["endpoint"]?.string ?? "")),
            p256dh: try #require(subscription["keys"]?["p256dh"]?.string),
            auth: try #require(subscription["keys"]?["auth"]?.string))
    }

    @Test(
        "A reply passes gateway and relay sealed, a browser gets it, and the app opens it; a 410 travels back",
        arguments: BrowserKind.allCases)
    func wholeWay(kind: BrowserKind) async throws {
        try await TestPushService.running { push in
            try await PageServer.running(PushTests.pages) { pages in
                try await withRelay(push) { relay, gateway in
                    try await push.withBrowser(kind, allowing: pages.origin) { browser in
                        let key = try await relay.caller.send(.get, "/webpush/key").text
                        let subscription = try await browser.subscribe(on: pages, key)
                        try await withTemporaryDirectory { folder in
                            let keys = RelayFileStorage(file: URL(fileURLWithPath: "\(folder)/keys"))
                            let phone = RelayClient(
                                relay: try #require(GatewayURL("https://\(Self.host)")), storage: keys,
                                cryptography: OpenSSLCryptography(), http: CalledRelay(caller: relay.caller))
                            try await phone.register(try target(subscription))
                            let daemon = try await registered(phone, at: gateway)
                            let answer = try await daemon.trigger(preview: "All tests pass.", waiting: 20)
                            #expect(answer.body["sent"] == 1, "\(answer.text)")

                            try await browser.wait(until: "window.received.length === 1")
                            let text = try #require(try await browser.evaluate("return window.received[0]").string)
                            #expect(!text.contains("tests") && !text.contains("/srv/app"))
                            let opener = SealedNotifications(storage: keys, cryptography: OpenSSLCryptography())
                            let opened = try #require(opener.open(json: Data(text.utf8)))
                            #expect(opened.body == "All tests pass.")

                            let endpoint = try #require(subscription["endpoint"]?.string)
                            let known = try #require(
                                push.service.subscriptions.first { endpoint.hasSuffix("/" + $0.token) })
                            #expect(push.service.endSubscription(token: known.token))
                            _ = try await daemon.trigger(preview: "lost with the subscription", waiting: 20)
                            try await eventually("the relay removes the subscription") {
                                try await phone.check() == .notRegistered
                            }
                            let refused = try await daemon.trigger(preview: "refused", waiting: 20).body
                            #expect(refused["sent"] == 0 && refused["pruned"] == 1, "\(refused)")
                        }
                    }
                }
            }
        }
    }

    /// Registers the app's address with the gateway, and returns the daemon that notifies it.
    private func registered(_ phone: RelayClient, at gateway: RunningGateway) async throws -> Daemon {
        let route = try await phone.route(from: try #require(GatewayURL("https://gateway.example.com")))
        var secrets: JSONObject = [:]
        for (name, value) in route.secrets { secrets[name] = .string(value) }
        let daemon = Daemon(gateway.caller)
        let answer = try await daemon.register("phone", token: route.address, ["relay": .object(secrets)])
        #expect(answer.status == 200, "\(answer.text)")
        return daemon
    }
}

/// The relay, for the client library.
private struct CalledRelay: HTTPSending {
    private struct NoMethod: Error {}

    let caller: Caller

    func send(_ request: GatewayRequest) async throws -> GatewayResponse {
        guard let method = HTTPRequest.Method(request.method) else { throw NoMethod() }
        var fields: HTTPFields = [:]
        for (name, value) in request.headerFields {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let answer = try await caller.send(method, request.url.path, headerFields: fields, body: Array(request.body))
        return GatewayResponse(
            status: answer.status, retryAfter: answer.headerFields[.retryAfter], body: Data(answer.bytes))
    }
}
