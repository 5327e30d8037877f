import TestSupport
import Testing

@Suite("Plain listener under attack", .timeLimit(.minutes(1)))
struct PlainListenerTests {
    @Test("Without Firestore's interface, the plain listener refuses the HTTP/2 preface with 400, and closes")
    func priorKnowledge() async throws {
        try await withGatewayUnderAttack(["firestore.enabled": "false"]) { gateway in
            let outcome = await RawExchange([.send(HTTP2Frames.preface + HTTP2Frames.ping())], answers: 2)
                .run(port: gateway.serving.caller.port, within: .seconds(20))
            #expect(outcome.answers.map(\.status) == [400])
            #expect(outcome.ending == .closed)
        }
    }
}
