import Foundation
import HTTPClient
import JSON
import TestDoubles
import TestSupport
import Testing

/// Prometheus, which reads a gateway's metrics every second.
struct Prometheus {
    private let url: String
    private let client: HTTPClient

    /// The folder with the files for Prometheus and Grafana.
    static let files = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../monitoring").standardized

    /// `true` if it can be run.
    static let isInstalled = ["prometheus", "promtool"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    /// Runs it for the body, with our rules for alerts, which fire at once.
    ///
    /// - Parameter job: the lines of the configuration about the gateway, below the job's name.
    static func running(reading job: String, _ body: (Prometheus) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let rules = try String(contentsOf: files.appending(path: "alerts.yaml"), encoding: .utf8)
                .split(separator: "\n").filter { !$0.contains(" for: ") }.joined(separator: "\n")
            try rules.write(toFile: "\(directory)/alerts.yaml", atomically: true, encoding: .utf8)
            let lines = job.split(separator: "\n").map { "    \($0)\n" }.joined()
            let configuration = """
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                rule_files: [alerts.yaml]
                scrape_configs:
                  - job_name: pushgate
                \(lines)
                """
            try configuration.write(toFile: "\(directory)/prometheus.yaml", atomically: true, encoding: .utf8)
            let url = "http://127.0.0.1:\(try unusedPort())"
            try await ChildProcess.running(
                "/usr/bin/prometheus",
                [
                    "--config.file=\(directory)/prometheus.yaml", "--storage.tsdb.path=\(directory)/data",
                    "--web.listen-address=\(url.dropFirst(7))",
                ]
            ) { child in
                try await withHTTPClient { client in
                    let prometheus = Prometheus(url: url, client: client)
                    let isReady = await eventually {
                        (try? await client.execute(HTTPClientRequest(url: url + "/-/ready")))?.statusCode == 200
                    }
                    try #require(isReady, "\(child.errorText)")
                    try await body(prometheus)
                }
            }
        }
    }

    /// Returns the samples of an expression's answer.
    func query(_ expression: String) async throws -> [JSONValue] {
        var components = URLComponents()
        components.queryItems = [URLQueryItem(name: "query", value: expression)]
        let query = (components.percentEncodedQuery ?? "").replacing("+", with: "%2B")
        let body = try await ask("/api/v1/query?\(query)")
        #expect(body["status"] == "success", "\(expression): \(body["error"]?.string ?? "")")
        return body["data"]?["result"]?.array ?? []
    }

    /// Returns the names of the alerts that fire.
    func alerts() async throws -> Set<String> {
        let alerts = try await ask("/api/v1/alerts")["data"]?["alerts"]?.array ?? []
        return Set(alerts.filter { $0["state"] == "firing" }.compactMap { $0["labels"]?["alertname"]?.string })
    }

    private func ask(_ path: String) async throws -> JSONValue {
        try JSONValue(parsing: try await client.execute(HTTPClientRequest(url: url + path)).body)
    }
}
