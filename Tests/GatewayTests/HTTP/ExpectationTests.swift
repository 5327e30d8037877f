import TestSupport
import Testing

@Suite("Expect", .timeLimit(.minutes(1)))
struct ExpectationTests {
    private static func post(_ length: Int, _ more: String = "", version: String = "1.1") -> [UInt8] {
        let fields =
            "Host: a\r\nAuthorization: Bearer \(String(repeating: "a", count: 44))\r\nContent-Type: application/json\r\n"
        return Array(
            "POST /registerSubscription HTTP/\(version)\r\n\(fields)\(more)Content-Length: \(length)\r\n\r\n".utf8)
    }

    private static let expect = "Expect: 100-continue\r\n"

    /// All that a gateway sends in answer to steps, as text.
    private func text(_ steps: [RawExchange.Step], answers: Int = 1) async throws -> RawOutcome {
        try await withGateway { gateway in
            await RawExchange(steps, answers: answers).run(port: gateway.port)
        }
    }

    @Test("gets its 100 when the body is read, and then the answer")
    func continues() async throws {
        let outcome = try await text([
            .send(Self.post(2, Self.expect)), .pause(.milliseconds(300)), .send(Array("{}".utf8)),
        ])
        #expect(outcome.answers.map(\.status) == [400])
        #expect(outcome.informational == [100])
    }

    @Test("gets no 100 from an early refusal, which closes the connection: nobody knows if the body comes")
    func refused() async throws {
        let outcome = try await text([.send(Self.post(1_000_000, Self.expect))], answers: 2)
        #expect(outcome.answers.map(\.status) == [413])
        #expect(outcome.informational == [])
        #expect(outcome.answers.first?.headers["connection"] == "close")
        #expect(outcome.ending == .closed)
    }

    @Test("of anything else is refused")
    func unknown() async throws {
        let outcome = try await text([.send(Self.post(2, "Expect: more\r\n") + Array("{}".utf8))])
        #expect(outcome.answers.map(\.status) == [417])
    }

    @Test("means nothing with HTTP/1.0")
    func old() async throws {
        let steps: [RawExchange.Step] = [.send(Self.post(2, Self.expect, version: "1.0") + Array("{}".utf8))]
        let outcome = try await text(steps)
        #expect(outcome.answers.map(\.status) == [400])
        #expect(outcome.informational == [])
    }
}
