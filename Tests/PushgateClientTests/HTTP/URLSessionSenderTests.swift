import Foundation
import Testing

@testable import PushgateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests with URLSession", .timeLimit(.minutes(10)))
struct URLSessionSenderTests {
    private func request(to url: String) throws -> GatewayRequest {
        GatewayRequest(
            url: try #require(URL(string: url)),
            headerFields: ["Authorization": "Bearer s3cret", "Content-Type": "application/json"],
            body: Data(#"{"cwd":"/srv"}"#.utf8))
    }

    @Test("A request posts its body with its header fields, and returns the whole answer")
    func answer() async throws {
        try await LoopbackServer.running(answering: { _ in
            "HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nContent-Length: 24\r\nConnection: close\r\n\r\n"
                + #"{"error":"rate_limited"}"#
        }) { server in
            let answer = try await URLSessionSender().send(try request(to: server.url + "/registerSubscription"))
            #expect(
                answer
                    == GatewayResponse(status: 429, retryAfter: "7", body: Data(#"{"error":"rate_limited"}"#.utf8)))
            let received = try #require(server.requests.first)
            #expect(received.hasPrefix("POST /registerSubscription HTTP/1.1\r\n"))
            #expect(received.contains("Authorization: Bearer s3cret\r\n"))
            #expect(received.contains("Content-Type: application/json\r\n"))
            #expect(received.hasSuffix(#"{"cwd":"/srv"}"#))
        }
    }

    @Test("A request has the method that it names, and an empty body is none", arguments: ["GET", "DELETE", "PUT"])
    func method(name: String) async throws {
        let answer = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
        try await LoopbackServer.running(answering: { _ in answer }) { server in
            let url = try #require(URL(string: server.url + "/relay/v1/addresses/x"))
            let body = name == "PUT" ? Data("{}".utf8) : Data()
            let request = GatewayRequest(method: name, url: url, headerFields: ["Relay-Time": "7"], body: body)
            #expect(try await URLSessionSender().send(request) == GatewayResponse(status: 204))
            let received = try #require(server.requests.first)
            #expect(received.hasPrefix("\(name) /relay/v1/addresses/x HTTP/1.1\r\n"))
            #expect(received.contains("Relay-Time: 7\r\n"))
            #expect(received.hasSuffix("\r\n\r\n" + (name == "PUT" ? "{}" : "")))
        }
    }

    @Test("A redirect is not followed, as the secret is for this gateway only", arguments: [301, 307, 308])
    func redirect(status: Int) async throws {
        try await LoopbackServer.running(answering: { url in
            "HTTP/1.1 \(status) Elsewhere\r\nLocation: \(url)/elsewhere\r\nContent-Length: 0\r\n"
                + "Connection: close\r\n\r\n"
        }) { server in
            let answer = try await URLSessionSender().send(try request(to: server.url + "/registerSubscription"))
            #expect(answer.status == status)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A request to a port without a server throws a URLError")
    func nobody() async throws {
        let port = try await LoopbackServer.running(answering: { _ in "" }) { $0.port }
        await #expect(throws: URLError.self) {
            try await URLSessionSender().send(try request(to: "http://127.0.0.1:\(port)/registerSubscription"))
        }
    }

    @Test("A cancelled request stops waiting")
    func cancelled() async throws {
        try await LoopbackServer.running(answering: nil) { server in
            let sending = Task { try await URLSessionSender().send(try request(to: server.url + "/x")) }
            while server.requests.isEmpty { await Task.yield() }
            sending.cancel()
            let error = await #expect(throws: (any Error).self) { try await sending.value }
            #expect(error.map { PushClientError(sending: $0) } == .cancelled)
        }
    }

    @Test("A task that is already cancelled sends no request")
    func cancelledBefore() async throws {
        try await LoopbackServer.running(answering: nil) { server in
            let request = try request(to: server.url + "/x")
            let sending = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await URLSessionSender().send(request)
            }
            let error = await #expect(throws: (any Error).self) { try await sending.value }
            #expect(error.map { PushClientError(sending: $0) } == .cancelled)
            #expect(server.requests.isEmpty)
        }
    }

    /// A session with a time limit far above this suite's.
    private var patient: URLSession {
        let configuration = URLSessionConfiguration.forGateways
        configuration.timeoutIntervalForRequest = 3_600
        return URLSession(configuration: configuration)
    }

    @Test("A request that exceeds its total time limit times out")
    func timeLimit() async throws {
        try await LoopbackServer.running(answering: nil) { server in
            let sender = URLSessionSender(session: patient, timeLimit: .milliseconds(20))
            let error = await #expect(throws: URLError.self) { try await sender.send(try request(to: server.url)) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test("A longer answer is read up to 64 KiB, and keeps its status")
    func longAnswer() async throws {
        try await LoopbackServer.running(answering: { _ in
            "HTTP/1.1 503 No\r\nContent-Length: 4000000\r\n\r\n" + String(repeating: "x", count: 1_000_000)
        }) { server in
            let answer = try await URLSessionSender(session: patient).send(try request(to: server.url))
            #expect(answer.status == 503)
            #expect(answer.body.count == 65_536)
        }
    }
}
