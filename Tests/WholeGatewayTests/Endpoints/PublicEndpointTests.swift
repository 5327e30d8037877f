import Cryptography
import DocumentStore
import Foundation
import Gateway
import HTTPTypes
import JSON
import Secrets
import TestSupport
import Testing

@Suite("Public endpoints", .timeLimit(.minutes(10)))
struct PublicEndpointTests {
    @Test("/healthz answers 200 with status ok")
    func health() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.caller.send(.get, "/healthz")
            #expect(answer.status == 200)
            #expect(answer.body == ["status": "ok"])
        }
    }

    @Test("/health answers the time too, for the apps of the systems")
    func healthWithTime() async throws {
        try await withGateway { gateway in
            let before = Timestamp.now
            let answer = try await gateway.caller.send(.get, "/health")
            #expect(answer.status == 200 && answer.body["status"] == "ok")
            let time = try Timestamp(parsing: try #require(answer.body["timestamp"]?.string))
            #expect(before <= time && time <= .now)
        }
    }

    @Test(
        "The home page describes the gateway, without scripts, redirects or external resources", arguments: ["/", ""])
    func home(path: String) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.caller.send(.get, path)
            #expect(answer.status == 200)
            #expect(answer.headerFields[.contentType] == "text/html; charset=utf-8")
            #expect(answer.text.contains("push gateway") && answer.text.contains("<html lang=\"en\">"))
            for absent in ["<script", "http-equiv", "src=", "http://", "https://", "url(", "style=\"", "onclick"] {
                #expect(!answer.text.contains(absent), "\(absent)")
            }
            let policy = try #require(answer.headerFields[.contentSecurityPolicy])
            let parts = answer.text.components(separatedBy: "<style>")
                .flatMap { $0.components(separatedBy: "</style>") }
            let style = try #require(parts.count == 3 ? parts[1] : nil)
            let hash = Data(SHA256.digest(of: Array(style.utf8))).base64EncodedString()
            #expect(policy.contains("default-src 'none'") && policy.contains("style-src 'sha256-\(hash)'"))
            #expect(!policy.contains("script-src") && !policy.contains("unsafe"))
            #expect(answer.headerFields[.xContentTypeOptions] == "nosniff")
        }
    }

    @Test("HEAD of the home page answers its length without a body")
    func homeHead() async throws {
        try await withGateway { gateway in
            let (head, page) = (try await gateway.caller.send(.head, "/"), try await gateway.caller.send(.get, "/"))
            #expect(head.status == 200 && head.text.isEmpty)
            #expect(head.headerFields[.contentLength] == String(page.text.utf8.count))
        }
    }

    @Test("/metrics answers in Prometheus' text format")
    func metrics() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.caller.send(.get, "/metrics")
            #expect(answer.status == 200)
            #expect(answer.headerFields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    @Test("/metrics requires the admin token from other machines, and from pages of other sites")
    func metricsAccess() async throws {
        try await withGateway(["http.trustedProxies": "127.0.0.1", "metrics.allowedPeers": "10.0.0.0/8"]) { gateway in
            let forwarded = try #require(HTTPField.Name("X-Forwarded-For"))
            let origin = "https://evil.example"
            for (fields, status) in [
                ([forwarded: "127.0.0.1"], 200), ([forwarded: "10.1.2.3"], 200), ([forwarded: "11.1.2.3"], 401),
                ([forwarded: ""], 401), ([.origin: origin], 401), ([.authorization: "Bearer wrong"], 401),
                ([forwarded: "11.1.2.3", .authorization: "Bearer \(gateway.gateway.adminToken.value)"], 200),
            ] as [(HTTPFields, Int)] {
                let answer = try await gateway.caller.send(.get, "/metrics", headerFields: fields)
                #expect(answer.status == status, "\(fields)")
                #expect((status == 401) == (answer.body["error"] != nil), "\(fields)")
            }
        }
    }

    @Test("A path of a system that is off answers 404 with the setting that switches the system on")
    func switchedOff() async throws {
        try await withGateway(["functions.publishing.enabled": "true"]) { gateway in
            for (method, path, system) in [
                (.post, "/api/events", "runs, which the setting functions.runs.enabled switches on"),
                (.get, "/check/7", "turns, which the setting functions.turns.enabled switches on"),
                (.get, "/api/v1/ping", "coding sessions, which the setting functions.sessions.enabled switches on"),
                (.post, "/relay/v1/send", "the author's relay, which the setting relay.enabled switches on"),
                (.post, "/api/hits", "human tasks, which the setting functions.humantasks.enabled switches on"),
                (
                    .post, "/api/devices",
                    "runs, which the setting functions.runs.enabled switches on, or for human tasks, which the setting "
                        + "functions.humantasks.enabled switches on"
                ),
            ] as [(HTTPRequest.Method, String, String)] {
                let answer = try await gateway.caller.send(method, path)
                #expect(answer.status == 404 && answer.body["error"]?["status"] == "NOT_FOUND", "\(path)")
                let message = "there is nothing here: this path is for \(system)"
                #expect(answer.body["error"]?["message"] == .string(message), "\(path)")
            }
            #expect(try await gateway.caller.send(.post, "/publish/news").status == 401)
        }
        try await withGateway { gateway in
            let answer = try await gateway.caller.send(.post, "/publish/news", body: Array("done".utf8))
            #expect(answer.status == 404 && answer.text.contains("functions.publishing.enabled switches on"))
        }
    }

    @Test(
        "An unknown path answers 404 in JSON",
        arguments: [
            "/nothing", "/registerSubscriptions", "/a/b/c/registerSubscription", "/v1",
        ])
    func unknownPath(path: String) async throws {
        try await withGateway { gateway in
            for method in [HTTPRequest.Method.get, .post] {
                let answer = try await gateway.caller.send(method, path)
                #expect(answer.status == 404)
                #expect(answer.headerFields[.contentType] == "application/json")
                #expect(answer.body["error"]?["code"] == 404)
                #expect(answer.body["error"]?["status"] == "NOT_FOUND")
            }
        }
    }
}
