import HTTPClient
import HTTPTypes
import Testing

@Suite("Responses of HTTPClient", .timeLimit(.minutes(10)))
struct ResponseTests {
    private func response(_ text: String, limit: Int = 1_024) async throws -> HTTPClientResponse {
        let server = try ScriptedServer.answering(text)
        let client = HTTPClient.forTest { $0.maximumResponseBytes = limit }
        return try await client.execute(HTTPClientRequest(url: server.url(), version: .http1))
    }

    @Test(
        "A response with any status is an answer", arguments: ["200 OK", "404 Not Found", "503 Service Unavailable"])
    func statuses(status: String) async throws {
        let response = try await response(.response(status, body: "{}"))
        #expect(response.statusCode == Int(status.prefix(3)))
        #expect(response.body == Array("{}".utf8))
        #expect(response.version == .http1)
        #expect(response.connectionsOpened == 1)
        #expect(response.duration > .zero)
    }

    @Test("Header fields of a response keep values, repetitions and colons")
    func fields() async throws {
        let response = try await response(
            .response(fields: [
                "Retry-After:  120  ", "X-Time: 12:30:00", "Set-Cookie: a=1", "Set-Cookie: b=2", "X-None:",
            ]))
        #expect(response.headerFields[.retryAfter] == "120")
        #expect(response.headerFields[try #require(HTTPField.Name("x-time"))] == "12:30:00")
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(response.headerFields[try #require(HTTPField.Name("x-none"))]?.isEmpty == true)
    }

    @Test(
        "The time to wait is a number of seconds, or a date compared with the server's own",
        arguments: [
            (["Retry-After: 120"], .seconds(120)), (["Retry-After: 0"], .zero),
            (["Date: Fri, 31 Dec 1999 23:59:00 GMT", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT"], .seconds(59)),
            (["Date: Fri, 31 Dec 1999 23:59:59 GMT", "Retry-After: Fri, 31 Dec 1999 23:59:00 GMT"], .zero),
            (["Retry-After: Fri, 31 Dec 1999 23:59:59 GMT"], nil), (["Retry-After: soon"], nil),
            (["Retry-After: -1"], nil), (["X-Other: 1"], nil),
        ] as [([String], Duration?)])
    func retryAfter(fields: [String], expected: Duration?) async throws {
        #expect(try await response(.response(fields: fields)).retryAfter == expected)
    }

    @Test("An interim response leaves no fields in the final response")
    func interim() async throws {
        let response = try await response("HTTP/1.1 103 Early Hints\r\nX-Hint: 1\r\n\r\n" + .response(body: "done"))
        #expect(response.statusCode == 200)
        #expect(response.headerFields[try #require(HTTPField.Name("x-hint"))] == nil)
        #expect(response.body == Array("done".utf8))
    }

    @Test("A chunked response body is joined")
    func chunked() async throws {
        let response = try await response(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
        #expect(String(decoding: response.body, as: UTF8.self) == "abcdefg")
    }

    @Test(
        "A client may cut a response body that is longer than the limit", arguments: [19_999, 20_000, 20_001, 90_000])
    func cut(length: Int) async throws {
        let server = try ScriptedServer.answering(.response("410 Gone", body: String(repeating: "a", count: length)))
        let client = HTTPClient.forTest {
            $0.maximumResponseBytes = 20_000
            $0.cutsLongBodies = true
        }
        for _ in 0..<2 {
            let response = try await client.execute(HTTPClientRequest(url: server.url(), version: .http1))
            #expect(response.statusCode == 410 && response.body.count == min(length, 20_000))
        }
    }

    @Test("A response body may be as long as the limit")
    func atTheLimit() async throws {
        let response = try await response(.response(body: String(repeating: "a", count: 20_000)), limit: 20_000)
        #expect(response.body.count == 20_000)
    }

    @Test("A response body longer than the limit is an error", arguments: [true, false])
    func beyondTheLimit(isChunked: Bool) async throws {
        let body = String(repeating: "a", count: 20_001)
        let server = try ScriptedServer.answering(
            isChunked
                ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4e21\r\n\(body)\r\n0\r\n\r\n"
                : .response(body: body))
        let client = HTTPClient.forTest { $0.maximumResponseBytes = 20_000 }
        let error = await client.failure(of: HTTPClientRequest(url: server.url(), version: .http1))
        #expect(error?.kind == .responseTooLarge)
        #expect(error?.isUnprocessed == false)
        #expect(error?.message.contains("20000 bytes") == true)
    }

    @Test(
        "A response head longer than the limit is an error, also in many parts",
        arguments: [
            String.response(fields: ["X-Long: " + String(repeating: "a", count: 1_000)]),
            String.response(fields: (0..<100).map { "X-\($0): aaaa" }),
            String(repeating: "HTTP/1.1 103 Early Hints\r\nX-Hint: aaaa\r\n\r\n", count: 30) + String.response(),
        ])
    func longHead(response: String) async throws {
        let server = try ScriptedServer.answering(response)
        let client = HTTPClient.forTest { $0.maximumHeadBytes = 1_000 }
        let error = await client.failure(of: HTTPClientRequest(url: server.url(), version: .http1))
        #expect(error?.kind == .responseTooLarge && error?.isUnprocessed == false)
        #expect(error?.message == "the response's head is longer than 1000 bytes")
        let other = HTTPClient.forTest()
        #expect(await other.failure(of: HTTPClientRequest(url: server.url(), version: .http1)) == nil)
    }

    @Test("A redirect is an answer and is not followed")
    func redirect() async throws {
        let target = try ScriptedServer.answering(.response(body: "elsewhere"))
        let response = try await response(.response("302 Found", fields: ["Location: \(target.url())"]))
        #expect(response.statusCode == 302)
        #expect(target.connectionCount == 0)
    }

    @Test("A cookie of a response is not sent back")
    func cookies() async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() {
                connection.write(.response(fields: ["Set-Cookie: a=1"], body: request.value("cookie") ?? "none"))
            }
        }
        let client = HTTPClient.forTest()
        for _ in 0..<2 {
            let response = try await client.execute(HTTPClientRequest(url: server.url(), version: .http1))
            #expect(String(decoding: response.body, as: UTF8.self) == "none")
        }
    }
}
