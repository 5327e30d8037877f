import HTTPClient
import HTTPTypes
import Synchronization
import Testing

@Suite("Requests of HTTPClient on the wire", .timeLimit(.minutes(10)))
struct RequestTests {
    /// Sends a request to a server that records it, and returns the recorded request.
    private func received(_ make: (String) -> HTTPClientRequest) async throws -> ReceivedRequest {
        let remembered = Remembered()
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() {
                remembered.set(request)
                connection.write(.response())
            }
        }
        let response = try await HTTPClient.forTest().execute(make(server.url("/3/device/abc?x=1")))
        #expect(response.statusCode == 200)
        return try #require(remembered.request)
    }

    private final class Remembered: Sendable {
        private let value = Mutex<ReceivedRequest?>(nil)
        var request: ReceivedRequest? { value.withLock { $0 } }
        func set(_ request: ReceivedRequest) { value.withLock { $0 = request } }
    }

    @Test("A request without header fields is sent with Host and User-Agent only")
    func plain() async throws {
        let request = try await received { HTTPClientRequest(url: $0, version: .http1) }
        #expect(request.line == "GET /3/device/abc?x=1 HTTP/1.1")
        #expect(request.headerLines.count == 2)
        #expect(request.value("host")?.hasPrefix("127.0.0.1:") == true)
        #expect(request.value("user-agent") == "pushgate")
    }

    @Test("A path is sent as it is, with its dot segments")
    func path() async throws {
        let path = "/a/../b/./c//d?x=/../y"
        let request = try await received { url in
            HTTPClientRequest(url: url.replacing("/3/device/abc?x=1", with: path), version: .http1)
        }
        #expect(request.line == "GET \(path) HTTP/1.1")
    }

    @Test("Header fields and body are sent unchanged")
    func fieldsAndBody() async throws {
        let request = try await received { url in
            HTTPClientRequest(
                method: .post, url: url,
                headerFields: [.contentType: "application/json", .authorization: "bearer a.b-c"],
                body: Array("{\"a\":\"é\"}".utf8), version: .http1)
        }
        #expect(request.line.hasPrefix("POST "))
        #expect(request.value("content-type") == "application/json")
        #expect(request.value("authorization") == "bearer a.b-c")
        #expect(request.value("content-length") == "10")
        #expect(request.body == "{\"a\":\"é\"}")
        #expect(request.value("accept") == nil)
        #expect(request.value("expect") == nil)
    }

    @Test("A header field with an empty value is sent")
    func emptyValue() async throws {
        let name = try #require(HTTPField.Name("x-empty"))
        let request = try await received { HTTPClientRequest(url: $0, headerFields: [name: ""], version: .http1) }
        #expect(request.value("x-empty")?.isEmpty == true)
    }

    @Test("A header field with two values is sent twice")
    func repeatedField() async throws {
        let name = try #require(HTTPField.Name("x-twice"))
        var fields = HTTPFields()
        fields.append(HTTPField(name: name, value: "1"))
        fields.append(HTTPField(name: name, value: "2"))
        let request = try await received { HTTPClientRequest(url: $0, headerFields: fields, version: .http1) }
        #expect(request.headerLines.filter { $0.hasPrefix("x-twice:") } == ["x-twice: 1", "x-twice: 2"])
    }

    @Test("Shared header fields follow each request's own fields")
    func sharedFields() async throws {
        let shared = SharedHeaderFields([.contentType: "application/json", .accept: "text/plain"])
        for own: HTTPFields in [[.authorization: "bearer 1"], [:], [.authorization: "bearer 2", .cookie: "a=b"]] {
            let request = try await received {
                var request = HTTPClientRequest(url: $0, headerFields: own, version: .http1)
                request.sharedHeaderFields = shared
                return request
            }
            let names = request.headerLines.compactMap { $0.split(separator: ":").first?.lowercased() }
            let expected = own.map { $0.name.canonicalName } + ["content-type", "accept"]
            #expect(names.filter { $0 != "host" && $0 != "user-agent" } == expected)
            #expect(request.value("authorization") == own[.authorization])
        }
    }

    @Test("A request's own user agent replaces the client's")
    func userAgent() async throws {
        let request = try await received {
            HTTPClientRequest(url: $0, headerFields: [.userAgent: "other"], version: .http1)
        }
        #expect(request.headerLines.filter { $0.lowercased().hasPrefix("user-agent") }.count == 1)
        #expect(request.value("user-agent") == "other")
    }

    @Test(
        "A request is sent with its method's name, and with its body if it has one",
        arguments: [
            (HTTPRequest.Method.post, ""), (.put, "data"), (.patch, "data"), (.delete, ""), (.options, ""),
            (.delete, "data"),
        ])
    func methods(method: HTTPRequest.Method, body: String) async throws {
        let request = try await received {
            HTTPClientRequest(method: method, url: $0, body: Array(body.utf8), version: .http1)
        }
        #expect(request.line.hasPrefix("\(method.rawValue) /3/device/abc?x=1 "))
        #expect(request.body == body)
        #expect(request.value("content-type") == nil)
    }

    @Test("A reused handle keeps nothing of the previous request")
    func reuseForgets() async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() {
                let words = request.line.prefix { $0 != " " } + ":" + request.body
                let response = String.response(body: String(words))
                connection.write(words.hasPrefix("HEAD") ? .response() : response)
            }
        }
        let client = HTTPClient.forTest { $0.maximumConnectionsPerHost = 1 }
        for (method, body) in [
            (.get, ""), (.post, "one"), (.head, ""), (.get, ""), (.put, "two"), (.post, ""), (.get, ""),
        ]
            as [(HTTPRequest.Method, String)]
        {
            let response = try await client.execute(
                HTTPClientRequest(method: method, url: server.url(), body: Array(body.utf8), version: .http1))
            let expected = method == .head ? "" : "\(method.rawValue):\(body)"
            #expect(String(decoding: response.body, as: UTF8.self) == expected)
        }
        #expect(server.connectionCount == 1)
    }
}
