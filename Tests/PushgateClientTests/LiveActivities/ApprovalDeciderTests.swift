import Foundation
import PushgateClient
import Testing

@Suite("The decision on a card")
struct ApprovalDeciderTests {
    private let gateway = ScriptedGateway()

    private func decider() throws -> ApprovalDecider {
        let url = try #require(GatewayURL("https://push.example.com/gate"))
        return ApprovalDecider(gateway: url, key: "key-0123456789abcdef", http: gateway)
    }

    @Test(
        "A decision is one POST with the app's key, to the approval's own address",
        arguments: ApprovalDecider.Decision.allCases)
    func request(decision: ApprovalDecider.Decision) async throws {
        let approval = RunCardState.Approval(id: "a/1 ü", expiry: .distantFuture)
        #expect(try await decider().decide(decision, on: approval) == .taken)
        let call = try #require(await gateway.calls.first)
        #expect(await gateway.calls.count == 1 && call.method == "POST")
        #expect(call.url == "https://push.example.com/gate/api/approvals/a%2F1%20%C3%BC")
        #expect(call.secret == "key-0123456789abcdef" && call.fields == ["decision": decision.rawValue])
    }

    @Test(
        "The answers of a gateway to a decision that comes too late have a value each",
        arguments: [(404, .unknown), (409, .tooLate), (410, .expired), (200, .taken)] as [(Int, ApprovalDecider.Answer)]
    )
    func answers(status: Int, answer: ApprovalDecider.Answer) async throws {
        await gateway.answer(GatewayResponse(status: status, body: Data(#"{"error":{"code":"x"}}"#.utf8)))
        #expect(try await decider().decide(.approve, onApproval: "a-1") == answer)
    }

    @Test("A refused key, and a gateway without an answer, are errors")
    func errors() async throws {
        await gateway.answer(GatewayResponse(status: 401))
        await #expect(throws: PushClientError.unauthorized) { try await decider().decide(.deny, onApproval: "a-1") }
        await gateway.answer(GatewayResponse(status: 503, retryAfter: "5"))
        await #expect(throws: PushClientError.unavailable(status: 503, retryAfter: .seconds(5))) {
            try await decider().decide(.deny, onApproval: "a-1")
        }
        await gateway.answer { _ in throw URLError(.timedOut) }
        await #expect(throws: PushClientError.unreachable(reason: "timed out")) {
            try await decider().decide(.deny, onApproval: "a-1")
        }
    }

    @Test("An approval without an id is unknown, without a request, and no description has the key")
    func secrecy() async throws {
        #expect(try await decider().decide(.approve, onApproval: "") == .unknown)
        #expect(await gateway.calls.isEmpty)
        let decider = try decider()
        #expect("\(decider)" == "decisions for https://push.example.com/gate")
        #expect(!String(reflecting: decider).contains("key-0") && Mirror(reflecting: decider).children.count == 1)
    }
}
