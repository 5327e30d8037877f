import DocumentStore
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@testable import Functions

@Suite("Requests that may be repeated")
struct IdempotentRequestsTests {
    private let clock = ManualClock()

    private func gateway(on store: any DocumentStore) -> IdempotentRequests {
        IdempotentRequests(store: store, isShared: true, clock: clock, now: { [clock] in clock.timestamp })
    }

    /// Answers a request by the acceptance of a message, and a lost answer by another one.
    private func accept(
        _ request: IdempotentRequest, at gateway: IdempotentRequests, on store: any DocumentStore
    ) async throws -> FunctionResponse {
        try await gateway.answer(to: request) { _ in
            FunctionResponse(body: "restored")
        } work: { companion in
            _ = try await store.commit(try companion(MessageAcceptance(messageID: "m")))
            return FunctionResponse(body: "accepted")
        }
    }

    @Test("A refusal of a request is not the answer to the same request that another gateway has accepted meanwhile")
    func refusal() async throws {
        let disk = try TemporaryStore(clock: clock)
        let store = disk.documents
        let (one, two) = (gateway(on: store), gateway(on: store))
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        let key = try #require(try IdempotencyKey([name: "k"]))
        let request = IdempotentRequest(key, at: "call", of: "caller", body: [])
        let refusal = try await one.answer(to: request) { _ in
            FunctionResponse(body: "restored")
        } work: { _ in
            _ = try await accept(request, at: two, on: store)
            return FunctionResponse(status: .notFound, body: "refused")
        }
        #expect(refusal.status == .notFound)
        for gateway in [one, two] {
            #expect(try await accept(request, at: gateway, on: store).body == "accepted")
        }
    }
}
