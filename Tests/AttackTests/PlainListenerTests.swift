import TestSupport
import Testing

@Suite("The plain listener", .timeLimit(.minutes(1)))
struct PlainListenerTests {
    @Test("speaks no HTTP/2: it refuses the preface, and closes")
    func priorKnowledge() async throws {
        try await withGatewayUnderAttack { gateway in
            let outcome = await RawExchange([.send(HTTP2Frames.preface + HTTP2Frames.ping())], answers: 2)
                .run(port: gateway.serving.caller.port, within: .seconds(20))
            #expect(outcome.answers.map(\.status) == [400])
            #expect(outcome.ending == .closed)
        }
    }
}
