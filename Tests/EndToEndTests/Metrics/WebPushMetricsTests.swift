import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Metrics of Web Push", .timeLimit(.minutes(10)))
struct WebPushMetricsTests {
    private func register(
        _ subscription: JSONValue, cwd: String, _ daemon: Daemon, at serving: ServingProcess
    ) async throws {
        let body: JSONValue = ["cwd": .string(cwd), "installation_id": "browser", "web_push": subscription]
        let answer = try await serving.caller.call("registerSubscription", body, secret: daemon.secret)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func metrics(of serving: ServingProcess) async throws -> [String] {
        try await serving.caller.send(.get, "/metrics").text.split(separator: "\n").map(String.init)
    }

    /// Waits until the metrics have all of the lines.
    private func expect(_ lines: [String], of serving: ServingProcess) async throws {
        try await eventually("\(lines)") { Set(try await metrics(of: serving)).isSuperset(of: lines) }
    }

    @Test("Accepted, shortened and refused notifications of browsers are counted")
    func answers() async throws {
        try await PushServiceProcess.running { service in
            try await ServingProcess.running(service.gatewaySettings) { serving in
                let daemon = Daemon(serving.caller)
                let subscription = try await service.subscribe("apple")
                let token = try #require(subscription["token"])
                try await register(subscription, cwd: "/srv/app", daemon, at: serving)
                _ = try await service.control(.put, "/answers", ["token": token, "status": 413])
                #expect(try await daemon.trigger(waiting: 10).body["sent"] == 1)
                try await expect(
                    [
                        #"pushgate_notifications_total{transport="webpush",outcome="accepted",reason=""} 1"#,
                        #"pushgate_answer_seconds_count{transport="webpush"} 1"#,
                        "# TYPE pushgate_webpush_bodies_shortened_total counter",
                        "pushgate_webpush_bodies_shortened_total 1",
                    ], of: serving)

                _ = try await service.control(.put, "/answers", ["token": token, "status": 410])
                #expect(try await daemon.trigger(waiting: 10).body["sent"] == 0)
                let gone = #"outcome="rejected",reason="registration-token-not-registered""#
                try await expect(
                    [
                        #"pushgate_notifications_total{transport="webpush",\#(gone)} 1"#,
                        #"pushgate_notifications_total{transport="webpush",outcome="accepted",reason=""} 1"#,
                        "pushgate_webpush_bodies_shortened_total 1",
                    ], of: serving)
                let name = "pushgate_webpush_addresses_refused_total"
                #expect(try await !metrics(of: serving).contains { $0.contains(name) })
            }
        }
    }

    @Test("A connection to a browser's host that is not made is counted")
    func refusedAddress() async throws {
        try await ServingProcess.running(["webpush.subject": "mailto:ops@pushgate.dev"]) { serving in
            let daemon = Daemon(serving.caller)
            let subscription = SampleSubscription.json("https://push.localhost/1")
            try await register(subscription, cwd: "/srv/app", daemon, at: serving)
            try await daemon.trigger(isAsync: true)
            // A host may have two addresses, and an attempt is repeated.
            let counts = [
                "pushgate_webpush_addresses_refused_total ",
                #"pushgate_notifications_total{transport="webpush",outcome="failed",reason="server-unavailable"} "#,
            ]
            for beginning in counts {
                try await eventually("\(beginning)") {
                    let line = try await metrics(of: serving).first { $0.hasPrefix(beginning) }
                    return line.flatMap { Int($0.dropFirst(beginning.count)) }.map { $0 >= 1 } ?? false
                }
            }
            let shortened = "pushgate_webpush_bodies_shortened_total"
            #expect(try await !metrics(of: serving).contains { $0.contains(shortened) })
        }
    }
}
