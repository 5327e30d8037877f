import HTTPClient
import HTTPTypes
import TestDoubles
import Testing

@Suite("Failures of HTTPClient", .timeLimit(.minutes(10)))
struct FailureTests {
    let client = HTTPClient.forTest()

    @Test("A connection refused by the host leaves the request unprocessed")
    func connectionRefused() async throws {
        let port = try unusedPort()
        let error = await client.failure(of: HTTPClientRequest(url: "http://127.0.0.1:\(port)/secret", version: .http1))
        #expect(error?.kind == .couldNotConnect)
        #expect(error?.isUnprocessed == true)
        #expect(error?.curlCode == 7)
        #expect(error?.host == "127.0.0.1:\(port)")
    }

    @Test("A host name without an address leaves the request unprocessed")
    func unknownHost() async {
        let error = await client.failure(of: HTTPClientRequest(url: "http://host.invalid/", version: .http1))
        #expect(error?.kind == .couldNotConnect)
        #expect(error?.isUnprocessed == true)
    }

    #if canImport(Glibc)
        @Test(
            "A name server that never answers fails the requests for its names in time, and delays no others",
            .enabled(if: SilentNameServer.isAvailable, "needs the rights of root"))
        func silentNameServer() async throws {
            let server = try ScriptedServer.answering(.response())
            // The client's threads have the name server of the thread that makes the client.
            let made = await SilentNameServer.result { HTTPClient.forTest { $0.connectTimeout = .seconds(1) } }
            let client = try #require(made)
            let start = ContinuousClock.now
            let error = await client.failure(of: HTTPClientRequest(url: "http://silent.example/", version: .http1))
            #expect(error?.kind == .timedOut && error?.isUnprocessed == true)
            #expect(await client.failure(of: HTTPClientRequest(url: server.url(), version: .http1)) == nil)
            await client.shutdown(within: .zero)
            #expect(start.duration(to: .now) < SilentNameServer.lookUpTime / 2)
        }
    #endif

    @Test("A server that never answers fails at the deadline, and the request may be processed")
    func deadline() async throws {
        let server = try ScriptedServer.silent()
        let start = ContinuousClock.now
        let error = await client.failure(
            of: HTTPClientRequest(url: server.url(), deadline: .seconds(1), version: .http1))
        #expect(error?.kind == .timedOut)
        #expect(error?.isUnprocessed == false)
        #expect(start.duration(to: .now) >= .seconds(1))
        #expect(start.duration(to: .now) < .seconds(30))
    }

    @Test(
        "A server that closes without an answer leaves it unknown if the request was processed",
        arguments: [true, false])
    func closedEarly(withReset: Bool) async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            if withReset { connection.reset() }
        }
        let error = await client.failure(
            of: HTTPClientRequest(method: .post, url: server.url(), body: [1], version: .http1))
        #expect(error?.kind == .connectionLost)
        #expect(error?.isUnprocessed == false)
        #expect(server.connectionCount == 1)
    }

    @Test("A server that closes in the middle of its answer gives an error and no partial answer")
    func closedHalfway() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        }
        let error = await client.failure(of: HTTPClientRequest(url: server.url(), version: .http1))
        #expect(error?.kind == .connectionLost)
        #expect(error?.isUnprocessed == false)
    }

    @Test("A server that does not speak HTTP gives an error")
    func notHTTP() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readRequest()
            connection.write("220 mail.example ESMTP\r\n")
        }
        let error = await client.failure(of: HTTPClientRequest(url: server.url(), version: .http1))
        #expect(error?.kind == .other)
    }

    @Test(
        "A URL that cannot be requested is refused at once",
        arguments: [
            "", "/3/device", "ftp://127.0.0.1/", "http://", "http:///path", "file:///etc/passwd", "http://a b/",
            "http://127.0.0.1/é", "http://user:secret@127.0.0.1/", "http://127.0.0.1:99999/",
        ])
    func invalidURL(url: String) async {
        let error = await client.failure(of: HTTPClientRequest(url: url, version: .http1))
        #expect(error?.kind == .invalidRequest)
        #expect(error?.isUnprocessed == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("A deadline in the past is refused without a connection", arguments: [Duration.zero, .seconds(-1)])
    func noTime(deadline: Duration) async throws {
        let server = try ScriptedServer.answering(.response())
        let error = await client.failure(of: HTTPClientRequest(url: server.url(), deadline: deadline, version: .http1))
        #expect(error?.kind == .invalidRequest)
        #expect(server.connectionCount == 0)
    }

    @Test("An error never contains the URL's path, which may contain a device token")
    func pathIsKeptOut() async throws {
        let token = "/3/device/0123456789abcdef"
        let silent = try ScriptedServer.silent()
        let closing = try ScriptedServer { _ = $0.readRequest() }
        let urls = [
            "http://127.0.0.1:\(try unusedPort())\(token)", silent.url(token), closing.url(token), "http://x y\(token)",
        ]
        for url in urls {
            let error = await client.failure(
                of: HTTPClientRequest(url: url, deadline: .milliseconds(200), version: .http1))
            let words = try #require(error).description
            #expect(!words.contains("0123456789abcdef"))
            #expect(!words.isEmpty)
        }
    }

    @Test("The statistics count failures by kind")
    func statistics() async throws {
        let server = try ScriptedServer.answering(.response("500 Internal Server Error"))
        let port = try unusedPort()
        _ = try await client.execute(HTTPClientRequest(url: server.url(), version: .http1))
        _ = try await client.execute(HTTPClientRequest(url: server.url(), version: .http1))
        _ = await client.failure(of: HTTPClientRequest(url: "http://127.0.0.1:\(port)/", version: .http1))
        var expected = HTTPClientStatistics()
        expected.requests = 3
        expected.answered = 2
        expected.connectionsOpened = 1
        expected.failures = [.couldNotConnect: 1]
        #expect(client.statistics == expected)
    }
}
