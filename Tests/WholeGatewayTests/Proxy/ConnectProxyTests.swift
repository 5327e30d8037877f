import Gateway
import HTTPClient
import TestSupport
import Testing

@Suite("FCM proxy", .timeLimit(.minutes(10)))
struct ConnectProxyTests {
    @Test(
        "The proxy leads to the gateway under each of Google's names, with a valid certificate",
        arguments: [
            "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com", "oauth2.googleapis.com",
            "www.googleapis.com",
        ], [HTTPClientRequest.Version.http2, .http1])
    func tunnels(host: String, version: HTTPClientRequest.Version) async throws {
        try await withFCMAddresses { _, addresses in
            let answer = try await addresses.answer(
                to: HTTPClientRequest(url: "https://\(host)/healthz", version: version), throughProxy: true)
            #expect(answer.statusCode == 200)
            #expect(answer.version == (version == .http2 ? .http2 : .http1))
            #expect(String(decoding: answer.body, as: UTF8.self) == #"{"status":"ok"}"#)
        }
    }

    @Test("The proxy works without a configured TLS listener")
    func alone() async throws {
        try await withGateway(["fcm.proxy.port": "0"]) { gateway in
            let listening = try #require(await gateway.gateway.listening())
            #expect(listening.tls == nil)
            let port = try #require(listening.proxy?.split(separator: ":").last.flatMap { Int($0) })
            let connection = try await TLSConnection.open(
                port: port, isProxy: true, trusting: gateway.directory + "/ca.pem")
            #expect(try await connection.exchange(TLSConnection.healthRequest).status == 200)
            try await connection.close()
        }
    }

    @Test(
        "The proxy refuses every other request with a reason, and closes the connection",
        arguments: [
            ("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n", 403, "does not connect to that host"),
            ("CONNECT fcm.googleapis.com:80 HTTP/1.1\r\nHost: x\r\n\r\n", 403, "does not connect to that host"),
            ("CONNECT localhost:443 HTTP/1.1\r\nHost: x\r\n\r\n", 403, "does not connect to that host"),
            ("GET http://fcm.googleapis.com/ HTTP/1.1\r\nHost: x\r\n\r\n", 405, "CONNECT only"),
            ("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 405, "CONNECT only"),
            ("POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", 405, "CONNECT only"),
            ("CONNECT fcm.googleapis.com HTTP/1.1\r\nHost: x\r\n\r\n", 400, "not a request"),
            ("hello\r\n\r\n", 400, "not a request"),
            ("CONNECT a:443 HTTP/1.1\r\nHost: " + String(repeating: "a", count: 9_000), 431, "longer than 8192 bytes"),
        ])
    func refusals(text: String, status: Int, words: String) async throws {
        try await withFCMAddresses { _, addresses in
            let outcome = await RawExchange([.send(Array(text.utf8))], answers: 2)
                .run(port: UInt16(addresses.proxyPort))
            #expect(outcome.ending == .closed)
            #expect(outcome.answers.map(\.status) == [status])
            let answer = try #require(outcome.answers.first)
            #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
            #expect(answer.headers["connection"] == "close")
            #expect(answer.headers["allow"] == (status == 405 ? "CONNECT" : nil))
            #expect(answer.text.contains(words))
            let hosts = [
                "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com", "oauth2.googleapis.com",
                "www.googleapis.com",
            ]
            #expect(answer.text.contains(hosts.joined(separator: ", ") + "."))
        }
    }

    @Test("The proxy answers HEAD without a body")
    func head() async throws {
        try await withFCMAddresses { _, addresses in
            let head = Array("HEAD http://a/ HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            let outcome = await RawExchange([.send(head)], answers: 2, isHead: true)
                .run(port: UInt16(addresses.proxyPort))
            #expect(outcome.answers.map(\.status) == [405])
            #expect(outcome.ending == .closed)
        }
    }

    @Test("The proxy reads a large refused request, so that its client can read the refusal")
    func largeRefused() async throws {
        try await withFCMAddresses { _, addresses in
            let head = "POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n"
            let body = [UInt8](repeating: 0x61, count: 4_000_000)
            let outcome = await RawExchange([.send(Array(head.utf8)), .send(body), .halfClose], answers: 2)
                .run(port: UInt16(addresses.proxyPort))
            #expect(outcome.answers.map(\.status) == [405])
            #expect(outcome.ending == .closed)
        }
    }

    @Test(
        "The proxy closes a connection that is slow at any point, or has a tunnel without TLS",
        arguments: ["", "C", "CONNECT fcm.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n", TLSConnection.tunnelRequest()])
    func slow(text: String) async throws {
        try await withFCMAddresses(["http.requestTimeout": "300ms"]) { _, addresses in
            let outcome = await RawExchange([.send(Array(text.utf8))], answers: 2)
                .run(port: UInt16(addresses.proxyPort))
            #expect(outcome.ending == .closed)
        }
    }

    @Test("The proxy closes a tunnel with bytes that are not TLS")
    func noTLS() async throws {
        try await withFCMAddresses { _, addresses in
            let outcome = await RawExchange(
                [.send(Array((TLSConnection.tunnelRequest() + TLSConnection.healthRequest).utf8))], answers: 2
            ).run(port: UInt16(addresses.proxyPort))
            #expect(outcome.ending == .closed)
            #expect(outcome.answers.map(\.status) == [200])
        }
    }

    @Test("The proxy closes its tunnels when the gateway stops")
    func stopping() async throws {
        var connections: [TLSConnection] = []
        try await withFCMAddresses { _, addresses in
            for protocols in [["h2"], ["http/1.1"]] {
                let connection = try await TLSConnection.open(
                    port: addresses.proxyPort, isProxy: true, trusting: addresses.caFile, protocols: protocols)
                if protocols == ["http/1.1"] {
                    #expect(try await connection.exchange(TLSConnection.healthRequest).status == 200)
                }
                connections.append(connection)
            }
        }
        for connection in connections { try await connection.closed() }
    }
}
