import HTTPTypes
import JSON
import Logging
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Log of refused requests", .timeLimit(.minutes(10)))
struct RefusalLogTests {
    private static let text = "refused a request"

    private func lines(_ gateway: RunningGateway) -> [String] { gateway.log.lines.filter { $0.contains(Self.text) } }

    @Test("Each interface logs the reason of a refusal at info, and never the secret")
    func reasons() async throws {
        try await withGateway(["functions.codeagents.requestsPerMinutePerSecret": "1"]) { gateway in
            let secret = "secret-" + String(repeating: "x", count: 40)
            func send(_ method: HTTPRequest.Method, _ path: String, _ body: String = "{}") async throws {
                _ = try await gateway.caller.send(
                    method, path, headerFields: [.authorization: "Bearer \(secret)", .contentType: "application/json"],
                    body: Array(body.utf8))
            }
            let calls: [(HTTPRequest.Method, String, String, reason: String, endpoint: String)] = [
                (.post, "/triggerReplyFinished", "x", "bad_request", "triggerReplyFinished"),
                (.get, "/v1/deliveries", "", "this is not this gateway's admin token", "/v1/deliveries"),
                (
                    .post, "/v1/projects/demo/messages:send", "{}", "Recipient of the message is not set",
                    "/v1/projects/{project}/messages:send"
                ),
                (
                    .get, "/v1/projects/demo/databases/(default)/documents/a", "", "this is neither an access token",
                    "Firestore (REST)"
                ),
            ]
            for call in calls {
                let before = lines(gateway).count
                try await send(call.0, call.1, call.2)
                let line = try #require(lines(gateway).dropFirst(before).first, "\(call.1)")
                #expect(lines(gateway).count == before + 1)
                #expect(line.hasPrefix("info ") && line.contains(call.reason), "\(line)")
                #expect(line.contains(call.endpoint) && line.contains("127.0.0.1"), "\(line)")
            }
            // A refusal by the limit, unless a minute ends in between.
            for _ in 0..<3 { try await send(.post, "/triggerReplyFinished", #"{"cwd":"/srv"}"#) }
            #expect(lines(gateway).contains { $0.contains("429") && $0.contains("rate_limited") })
            #expect(!gateway.log.lines.contains { $0.contains(secret) })
        }
    }

    @Test("What is forbidden and what cannot be processed are logged with their statuses too")
    func statuses() async throws {
        let key = "a-master-key-of-this-test"
        let settings = ["functions.sessions.enabled": "true", "functions.sessions.masterKey": key]
        try await withGateway(settings) { gateway in
            let own = try await gateway.caller.send(
                .get, "/v1/projects/pushgate/databases/(default)/documents/notes/a",
                headerFields: [.authorization: "Bearer owner"])
            #expect(own.status == 403 && lines(gateway).count == 1)
            let first = try #require(lines(gateway).first)
            #expect(first.hasPrefix("info ") && first.contains("403"), "\(first)")
            #expect(first.contains("this gateway's own database") && first.contains("Firestore (REST)"), "\(first)")
            let list = try await gateway.caller.send(
                .post, "/api/v1/events", headerFields: [.authorization: "Bearer \(key)"], body: Array("[]".utf8))
            #expect(list.status == 422 && lines(gateway).count == 2)
            let second = try #require(lines(gateway).last)
            #expect(second.hasPrefix("info ") && second.contains("422"), "\(second)")
            #expect(second.contains("the body must be a JSON object") && second.contains("/api/v1/events"), "\(second)")
            #expect(!gateway.log.lines.contains { $0.contains(key) })
        }
    }

    @Test("Accepted requests, unknown paths and failed preconditions leave no line")
    func others() async throws {
        try await withGateway { gateway in
            _ = try await gateway.caller.send(.get, "/healthz")
            _ = try await gateway.caller.send(.get, "/nothing")
            let documents = "/v1/projects/demo/databases/(default)/documents"
            _ = try await gateway.caller.send(.get, documents + "/rooms/none")
            let update = try await gateway.caller.send(
                .patch, documents + "/rooms/a?currentDocument.updateTime=2020-01-01T00:00:00Z",
                body: Array(#"{"fields":{}}"#.utf8))
            #expect(update.status >= 400)
            #expect(lines(gateway).isEmpty)
        }
    }

    @Test("A flood of refusals leaves ten lines a minute")
    func flood() async throws {
        try await withGateway { gateway in
            for _ in 0..<100 { _ = try await gateway.caller.send(.get, "/v1/deliveries") }
            // A minute may end in between.
            #expect((10...20).contains(lines(gateway).count))
        }
    }
}
