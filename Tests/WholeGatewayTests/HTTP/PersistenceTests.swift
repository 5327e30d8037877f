import Gateway
import HTTPTypes
import Secrets
import TestSupport
import Testing

@Suite("Persistence of connections", .timeLimit(.minutes(10)))
struct PersistenceTests {
    private func outcome(
        _ steps: [RawExchange.Step], count: Int, settings: [String: String] = [:]
    ) async throws -> RawOutcome {
        try await withGateway(settings) { gateway in
            await RawExchange(steps, answers: count).run(port: gateway.port)
        }
    }

    private func outcome(_ text: String, count: Int) async throws -> RawOutcome {
        try await outcome([.send(Array(text.utf8))], count: count)
    }

    @Test("An HTTP/1.0 connection ends after its answer, which has the same version")
    func old() async throws {
        let outcome = try await outcome("GET /healthz HTTP/1.0\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n", count: 2)
        #expect(outcome.answers.map(\.status) == [200])
        #expect(outcome.answers.first?.headers["connection"] == "close")
        #expect(outcome.ending == .closed)
    }

    @Test("An HTTP/1.0 connection goes on if the client sends keep-alive")
    func oldKeepAlive() async throws {
        let text = "GET /healthz HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
        let outcome = try await outcome(text + text, count: 2)
        #expect(outcome.answers.map(\.status) == [200, 200])
        #expect(outcome.answers.map { $0.headers["connection"] } == ["keep-alive", "keep-alive"])
    }

    @Test("A connection ends after Connection: close in any case", arguments: ["close", "Close", "TE, CLOSE"])
    func close(value: String) async throws {
        let text = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: \(value)\r\n\r\n"
        let outcome = try await outcome(text + text, count: 2)
        #expect(outcome.answers.map(\.status) == [200])
        #expect(outcome.answers.first?.headers["connection"] == "close")
        #expect(outcome.ending == .closed)
    }

    @Test("A client that writes the whole body first still reads the early refusal, then the connection closes")
    func refused() async throws {
        let head =
            "POST /registerSubscription HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 20000000\r\n\r\n"
        let outcome = try await outcome(
            [.send(Array(head.utf8)), .pause(.milliseconds(300)), .send([UInt8](repeating: 97, count: 20_000_000))],
            count: 2)
        #expect(outcome.answers.map(\.status) == [413])
        #expect(outcome.answers.first?.headers["connection"] == "close")
        #expect(outcome.ending == .closed)
    }
}

@Suite("HEAD", .timeLimit(.minutes(10)))
struct HeadTests {
    @Test(
        "HEAD is answered wherever GET is, with the same fields and no body",
        arguments: [
            "/healthz", "/metrics", "/emulator/v1/inbox", "/emulator/v1/messages",
            "/v1/projects/pushgate/databases/(default)/documents/servers", "/emulator/v1/scripts", "/nothing",
        ])
    func everywhere(path: String) async throws {
        try await withGateway { gateway in
            let get = try await gateway.ask(path)
            let raw =
                "HEAD \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(gateway.gateway.adminToken.value)\r\n\r\n"
            let outcome = await RawExchange([.send(Array((raw + raw).utf8))], answers: 2, isHead: true)
                .run(port: gateway.port)
            #expect(outcome.answers.map(\.status) == [get.status, get.status])
            #expect(outcome.answers.first?.headers["content-type"] == get.headerFields[.contentType])
            let (length, lengthOfGet) = (
                outcome.answers.first?.headers["content-length"], get.headerFields[.contentLength]
            )
            // Lists are streamed without a length, and counters change from one request to the next.
            #expect((length == nil) == (lengthOfGet == nil))
            if path != "/metrics" { #expect(length == lengthOfGet) }
        }
    }
}
