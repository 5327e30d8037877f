import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing
import WebPushService

/// Subscriptions that a browser exchanges without its page.
@Suite("Exchanged subscriptions in the browsers of Debian", .serialized, .timeLimit(.minutes(10)))
struct ExchangedSubscriptionTests {
    /// Returns the configuration of a service that browsers and gateways take for the one at these addresses.
    private func configuration(
        in directory: String, at addresses: LocalPushServiceAddresses? = nil
    ) throws -> LocalPushServiceConfiguration {
        var configuration = LocalPushServiceConfiguration()
        configuration.directory = directory
        if let addresses {
            configuration.port = try #require(URL(string: addresses.push)?.port)
            configuration.browserPort = try #require(URL(string: addresses.firefox)?.port)
        }
        return configuration
    }

    @Test("A subscription that Firefox exchanges takes the place of the former one, without its page or its user")
    func exchange() async throws {
        try await withTemporaryDirectory { parent in
            let directory = parent + "/service"
            try await TestPushService.running(configuration(in: directory)) { push in
                try await withGateway(push.gatewaySettings) { gateway in
                    try await Firefox.running(push.addresses.firefoxPreferences) { browser in
                        try await browser.open(gateway.url + "/try")
                        try await browser.subscribe()
                        let daemon = Daemon(gateway.caller, secret: try await browser.secret())
                        let former = try #require(push.service.subscriptions.first)
                        // The worker says so after the gateway's answer.
                        _ = try await browser.evaluate(
                            """
                            navigator.serviceWorker.addEventListener("message", event => {
                                if (event.data.kind === "subscription") document.documentElement.id = "exchanged"
                            })
                            """)
                        await push.service.shutdown()
                        // A service that does not know a browser gives it another id, by which its subscriptions end.
                        try FileManager.default.removeItem(atPath: directory + "/service.jsonl")
                        let next = try configuration(in: directory, at: push.addresses)
                        try await TestPushService.running(next) { again in
                            try await browser.wait(until: "document.documentElement.id === 'exchanged'")
                            let subscriptions = again.service.subscriptions
                            #expect(subscriptions.count == 1 && subscriptions.first?.token != former.token)
                            let answer = try await daemon.trigger(cwd: "/try", preview: "Still here.", waiting: 10)
                            #expect(answer.body["attempted"] == 1 && answer.body["sent"] == 1, "\(answer.text)")
                            #expect(try await browser.title(of: "Still here.") == "This browser")
                            #expect(again.service.received().map(\.token) == [subscriptions.first?.token])
                        }
                    }
                }
            }
        }
    }
}
