import TestSupport
import Testing

@Suite("Expect: 100-continue", .timeLimit(.minutes(10)))
struct ExpectationTests {
    private static func post(_ length: Int, _ more: String = "", version: String = "1.1") -> [UInt8] {
        let fields =
            "Host: a\r\nAuthorization: Bearer \(String(repeating: "a", count: 44))\r\nContent-Type: application/json\r\n"
        return Array(
            "POST /registerSubscription HTTP/\(version)\r\n\(fields)\(more)Content-Length: \(length)\r\n\r\n".utf8)
    }

    private static let expect = "Expect: 100-continue\r\n"

    /// Returns the raw bytes that a gateway sends in answer to the steps, as text.
    private func text(_ steps: [RawExchange.Step], answers: Int = 1) async throws -> RawOutcome {
        try await withGateway { gateway in
            await RawExchange(steps, answers: answers).run(port: gateway.port)
        }
    }

    @Test("Expect: 100-continue is answered with 100 when the body is read, then with the answer")
    func continues() async throws {
        let outcome = try await text([
            .send(Self.post(2, Self.expect)), .pause(.milliseconds(300)), .send(Array("{}".utf8)),
        ])
        #expect(outcome.answers.map(\.status) == [400])
        #expect(outcome.informational == [100])
    }

    @Test("An early refusal sends no 100, and closes the connection as the body may still come")
    func refused() async throws {
        let outcome = try await text([.send(Self.post(1_000_000, Self.expect))], answers: 2)
        #expect(outcome.answers.map(\.status) == [413])
        #expect(outcome.informational == [])
        #expect(outcome.answers.first?.headers["connection"] == "close")
        #expect(outcome.ending == .closed)
    }

    @Test("An expectation other than 100-continue is refused with 417")
    func unknown() async throws {
        let outcome = try await text([.send(Self.post(2, "Expect: more\r\n") + Array("{}".utf8))])
        #expect(outcome.answers.map(\.status) == [417])
    }

    @Test("Expect: 100-continue is ignored with HTTP/1.0")
    func old() async throws {
        let steps: [RawExchange.Step] = [.send(Self.post(2, Self.expect, version: "1.0") + Array("{}".utf8))]
        let outcome = try await text(steps)
        #expect(outcome.answers.map(\.status) == [400])
        #expect(outcome.informational == [])
    }
}
