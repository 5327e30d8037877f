import APNsSimulator
import Gateway
import JSON
import TestBasics
import TestDoubles
import TestSupport
import Testing

@Suite("The gateway with a proxy on the way to Apple", .timeLimit(.minutes(10)))
struct AppleProxyTests {
    private static let unreachable = "the push service cannot be reached"

    /// Registers a device and triggers one notification to it.
    private func trigger(_ gateway: RunningGateway) async throws -> Answer {
        let daemon = Daemon(gateway.caller)
        try await daemon.register("phone", token: .randomToken())
        return try await daemon.trigger(preview: "By the proxy.")
    }

    private func withGateway<Output>(
        through url: String, _ apns: RunningSimulator, _ body: (RunningGateway) async throws -> Output
    ) async throws -> Output {
        try await TestSupport.withGateway(
            ["apns.proxy": url, "functions.codeagents.triggerWait": "60s"], simulator: apns, body)
    }

    /// Waits for the log line that says that Apple cannot be reached, and returns it.
    private func trouble(_ gateway: RunningGateway) async throws -> String {
        try await eventually("the failure is logged") { gateway.log.lines.contains { $0.contains(Self.unreachable) } }
        return gateway.log.lines.first { $0.contains(Self.unreachable) } ?? ""
    }

    @Test("A notification through a proxy is delivered, and the banner names the proxy")
    func arrives() async throws {
        let proxy = try await TestProxy(.wants(authorization: "Basic dXNlcjpzM2NyZXQ="))
        try await withSimulator { apns in
            try await withGateway(through: "http://user:s3cret@127.0.0.1:\(proxy.port)", apns) { gateway in
                let answer = try await trigger(gateway)
                #expect(answer.body["sent"] == 1)
                #expect(gateway.gateway.transportDescription.hasSuffix(", through \(proxy.url)"))
                #expect(!gateway.log.lines.contains { $0.contains("s3cret") })
            }
            #expect(apns.simulator.counters.accepted == 1)
            #expect(proxy.heads.count == 1)
            #expect(proxy.heads.first?.hasPrefix("CONNECT \(apns.addresses.apns.dropFirst("https://".count)) ") == true)
        }
        await proxy.stop()
    }

    @Test("A proxy that refuses the password is named in the log and the delivery, and the notification is kept")
    func refused() async throws {
        let proxy = try await TestProxy(.wants(authorization: "Basic b3RoZXI6b3RoZXI="))
        try await withSimulator { apns in
            try await withGateway(through: "http://user:s3cret@127.0.0.1:\(proxy.port)", apns) { gateway in
                let answer = try await trigger(gateway)
                #expect(answer.body["pending"] == 1 && answer.body["errors"] == ["messaging/server-unavailable": 1])
                let reason = "the proxy \(proxy.url) does not take the user and password that it was given (407)"
                let line = try await trouble(gateway)
                #expect(line.contains(reason))
                try await eventually("the reason is stored") {
                    let list = try await gateway.ask("/v1/deliveries").body["deliveries"]?.array
                    let id = list?.first?["id"]?.string ?? ""
                    return String(
                        decoding: try await gateway.ask("/v1/deliveries/\(id)").body.serialized, as: UTF8.self
                    )
                    .contains("does not take the user and password")
                }
                #expect(!gateway.log.lines.contains { $0.contains("s3cret") })
            }
            #expect(apns.simulator.counters.connectionsOpened == 0)
        }
        await proxy.stop()
    }

    @Test("Notifications are kept while the proxy is down, and are delivered once when it is back")
    func away() async throws {
        let port = try unusedPort()
        let url = "http://127.0.0.1:\(port)"
        try await withSimulator { apns in
            try await withGateway(through: url, apns) { gateway in
                let answer = try await trigger(gateway)
                #expect(answer.body["pending"] == 1)
                let line = try await trouble(gateway)
                #expect(line.contains("the proxy \(url) cannot be reached"))
                let back = try await TestProxy(port: port)
                let received = try await apns.simulator.wait(
                    for: 1, matching: NotificationFilter(status: 200), timeout: .seconds(60))
                #expect(received.count == 1 && back.heads.count >= 1)
                await back.stop()
            }
            #expect(apns.simulator.counters.duplicates == 0)
        }
    }
}
