import HTTPClient
import Synchronization
import Testing

@Suite("Proxy of HTTPClient", .timeLimit(.minutes(10)))
struct ProxyTests {
    /// The request lines that arrived at a proxy.
    private final class Lines: Sendable {
        private let value = Mutex<[String]>([])
        var all: [String] { value.withLock { $0 } }
        func append(_ line: String) { value.withLock { $0.append(line) } }
    }

    private func proxy(answering response: String, _ lines: Lines) throws -> ScriptedServer {
        try ScriptedServer { connection in
            while let request = connection.readRequest() {
                lines.append(request.line)
                connection.write(response)
            }
        }
    }

    @Test("A proxy that refuses a tunnel to an https host gives a failure and no answer")
    func refusedTunnel() async throws {
        let lines = Lines()
        let proxy = try proxy(answering: .response("403 Forbidden", body: "no"), lines)
        let client = HTTPClient.forTest { $0.proxy = proxy.url("") }
        let error = await client.failure(of: HTTPClientRequest(url: "https://push.example/secret"))
        #expect(error?.message.contains("403") == true)
        #expect(lines.all == ["CONNECT push.example:443 HTTP/1.1"])
    }

    @Test("A proxy gets a plain request with its full URL, for loopback too")
    func plain() async throws {
        let lines = Lines()
        let proxy = try proxy(answering: .response(body: "by the proxy"), lines)
        let client = HTTPClient.forTest { $0.proxy = proxy.url("") }
        let response = try await client.execute(HTTPClientRequest(url: "http://localhost:9/a", version: .http1))
        #expect(String(decoding: response.body, as: UTF8.self) == "by the proxy")
        #expect(lines.all == ["GET http://localhost:9/a HTTP/1.1"])
    }
}
