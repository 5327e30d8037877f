import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("The files for Prometheus and Grafana", .timeLimit(.minutes(10)), .enabled(if: Prometheus.isInstalled))
struct MonitoringTests {
    private static let alerts = Prometheus.files.appending(path: "alerts.yaml")

    private static func alertNames() throws -> Set<String> {
        let text = try String(contentsOf: alerts, encoding: .utf8)
        return Set(text.matches(of: /- alert: (\w+)/).map { String($0.1) })
    }

    @Test("Prometheus' own tool accepts the rules, and their tests pass and have each alert fire")
    func rules() async throws {
        for arguments in [["check", "rules", Self.alerts.path], ["test", "rules", "alerts-test.yaml"]] {
            let script = "cd \"$0\" && exec /usr/bin/promtool \"$@\""
            let finished = try await ChildProcess.running(
                "/bin/sh", ["-c", script, Prometheus.files.path] + arguments
            ) { try await $0.finish() }
            #expect(finished.exitCode == 0, "\(finished.output) \(finished.errors)")
        }
        let tests = try String(contentsOf: Prometheus.files.appending(path: "alerts-test.yaml"), encoding: .utf8)
        let fired = tests.matches(of: /alertname: (\w+)\n +exp_alerts:\n/).map { String($0.1) }
        #expect(Set(fired) == (try Self.alertNames()))
    }

    @Test(
        "Prometheus reads a healthy gateway over HTTPS: each query of the dashboard has an answer, no alert fires",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func dashboard() async throws {
        try await withTemporaryDirectory { directory in
            let files = try TLSFiles(in: directory, validity: .seconds(30 * 86_400))
            try await ServingProcess.running(in: directory + "/data", files.settings) { serving in
                let port = try #require(serving.address("https")?.split(separator: ":").last)
                let job = """
                    scheme: https
                    authorization: { credentials_file: \(directory)/data/admin-token }
                    tls_config: { ca_file: \(files.caFile), server_name: \(TLSFiles.name) }
                    static_configs: [{ targets: ["127.0.0.1:\(port)"] }]
                    """
                try await Prometheus.running(reading: job) { prometheus in
                    try await exercise(serving)
                    let queries = try Self.queries()
                    #expect(queries.count > 25)
                    for query in queries {
                        let isAnswered = try await eventually {
                            // The metrics count on, so that rates have two samples.
                            try await exercise(serving)
                            return try await !prometheus.query(query).isEmpty
                        }
                        #expect(isAnswered, "\(query)")
                    }
                    #expect(try await prometheus.alerts() == [])
                }
            }
        }
    }

    /// Causes something of each kind that the dashboard shows.
    private func exercise(_ serving: ServingProcess) async throws {
        let daemon = Daemon(serving.caller)
        for device in ["phone", "tablet"] { try await daemon.register(device, token: "emulated:\(device)") }
        let script: JSONValue = ["token": "emulated:tablet", "errorCode": "INVALID_ARGUMENT", "times": 1]
        #expect(try await serving.ask("/emulator/v1/scripts", .post, script).status == 200)
        #expect(try await daemon.trigger().body["sent"] == 1)
        #expect(try await daemon.trigger(cwd: "").status == 400)
        _ = try await serving.caller.send(.get, "/v1/projects/demo/databases/(default)/documents/a/b")
        #expect(try await serving.ask("/v1/backups", .post).status == 200)
    }

    /// The queries of the dashboard, with the values that Grafana would insert.
    private static func queries() throws -> [String] {
        let dashboard = try JSONValue(
            parsing: [UInt8](try Data(contentsOf: Prometheus.files.appending(path: "grafana-dashboard.json"))))
        let panels = dashboard["panels"]?.array ?? []
        #expect(panels.allSatisfy { $0["title"]?.string != nil && $0["description"]?.string != nil })
        return panels.flatMap { $0["targets"]?.array ?? [] }.compactMap { $0["expr"]?.string }
            // No job fails in a healthy gateway.
            .filter { !$0.contains("pushgate_job_failures_total") }
            .map { $0.replacing("$__rate_interval", with: "20s").replacing("$instance", with: ".*") }
    }

    @Test("Alerts fire for a refused key, a certificate that ends, and a gateway that is gone")
    func trouble() async throws {
        try await withSimulator { apns in
            try await withTemporaryDirectory { directory in
                let files = try TLSFiles(in: directory, validity: .seconds(3_600))
                let settings = files.settings.merging(apns.gatewaySettings) { $1 }
                try await ServingProcess.running(in: directory + "/data", settings) { serving in
                    let job = "static_configs: [{ targets: [\"127.0.0.1:\(serving.caller.port)\"] }]"
                    try await Prometheus.running(reading: job) { prometheus in
                        let daemon = Daemon(serving.caller)
                        try await daemon.register("phone", token: .randomToken())
                        let refusal = ScriptedAnswer(status: 403, reason: "InvalidProviderToken", count: nil)
                        apns.simulator.script(token: nil, answers: [refusal])
                        try await daemon.trigger(isAsync: true)
                        let expected: Set = [
                            "PushgateLaneHeldUp", "PushgateCredentialsRefused", "PushgateCertificateExpires",
                        ]
                        var alerts: Set<String> = []
                        #expect(
                            try await eventually {
                                alerts = try await prometheus.alerts()
                                return alerts.isSuperset(of: expected)
                            }, "\(alerts)")
                        #expect(alerts == expected)
                        serving.child.send(signal: SIGKILL)
                        #expect(
                            try await eventually {
                                try await prometheus.alerts().contains("PushgateDown")
                            })
                    }
                }
            }
        }
    }
}
