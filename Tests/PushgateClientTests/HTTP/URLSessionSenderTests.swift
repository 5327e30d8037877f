import Foundation
import PushgateClient
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Sending with URLSession", .timeLimit(.minutes(1)))
struct URLSessionSenderTests {
    private func request(to url: String) throws -> GatewayRequest {
        GatewayRequest(
            url: try #require(URL(string: url)),
            headerFields: ["Authorization": "Bearer s3cret", "Content-Type": "application/json"],
            body: Data(#"{"cwd":"/srv"}"#.utf8))
    }

    @Test("posts the body with its header fields, and gives back the whole answer")
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

    @Test("follows no redirect: the secret is for this gateway alone", arguments: [301, 307, 308])
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

    @Test("throws when nothing listens")
    func nobody() async throws {
        let port = try await LoopbackServer.running(answering: { _ in "" }) { $0.port }
        await #expect(throws: URLError.self) {
            try await URLSessionSender().send(try request(to: "http://127.0.0.1:\(port)/registerSubscription"))
        }
    }

    @Test("stops waiting when its task is cancelled")
    func cancelled() async throws {
        try await LoopbackServer.running(answering: nil) { server in
            let sending = Task { try await URLSessionSender().send(try request(to: server.url + "/x")) }
            while server.requests.isEmpty { await Task.yield() }
            sending.cancel()
            let error = await #expect(throws: URLError.self) { try await sending.value }
            #expect(error?.code == .cancelled)
        }
    }
}
