import DocumentStore
import Gateway
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("What everybody may ask", .timeLimit(.minutes(1)))
struct PublicEndpointTests {
    @Test("is whether the gateway is well")
    func health() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.caller.send(.get, "/healthz")
            #expect(answer.status == 200)
            #expect(answer.body == ["status": "ok"])
        }
    }

    @Test("is the time as well, for the systems' apps")
    func healthWithTime() async throws {
        try await withGateway { gateway in
            let before = Timestamp.now
            let answer = try await gateway.caller.send(.get, "/health")
            #expect(answer.status == 200 && answer.body["status"] == "ok")
            let time = try Timestamp(parsing: try #require(answer.body["timestamp"]?.string))
            #expect(before <= time && time <= .now)
        }
    }

    @Test("is what has been counted, as text for Prometheus")
    func metrics() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.caller.send(.get, "/metrics")
            #expect(answer.status == 200)
            #expect(answer.headerFields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        }
    }

    @Test(
        "nothing else is there, and that is said in JSON",
        arguments: [
            "/", "/nothing", "/registerSubscriptions", "/a/b/c/registerSubscription", "/registerSubscription/x", "/v1",
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
