import DocumentStore
import HTTPTypes
import JSON
import Messaging
import ServiceLifecycle
import Synchronization
import TestDoubles
import Testing

@testable import Functions

@Suite("Requests that may be repeated", .timeLimit(.minutes(10)))
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

    private func request() throws -> IdempotentRequest {
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        let key = try #require(try IdempotencyKey([name: "k"]))
        return IdempotentRequest(key, at: "call", of: "caller", body: [])
    }

    @Test("A refusal of a request is not the answer to the same request that another gateway has accepted meanwhile")
    func refusal() async throws {
        let disk = try TemporaryStore(clock: clock)
        let store = disk.documents
        let (one, two) = (gateway(on: store), gateway(on: store))
        let request = try request()
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

    @Test("A gateway that stops does not wait for the answer of another one, and answers nothing in its place")
    func shutdown() async throws {
        let disk = try TemporaryStore(clock: clock)
        let store = disk.documents
        let (one, two) = (gateway(on: store), gateway(on: store))
        let sameRequest = try request()
        let repetition = Repetition { try await accept(sameRequest, at: two, on: store) }
        let first = try await one.answer(to: sameRequest) { _ in
            FunctionResponse(body: "restored")
        } work: { companion in
            _ = try await store.commit(try companion(MessageAcceptance(messageID: "m")))
            let group = ServiceGroup(configuration: .init(services: [repetition], logger: .silent))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                try await eventually("the repetition waits") { !clock.pendingSleeps.isEmpty }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            return FunctionResponse(body: "accepted")
        }
        let error = repetition.error.withLock(\.self)
        #expect(error?.code == .unavailable)
        #expect(first.body == "accepted")
        #expect(try await accept(sameRequest, at: two, on: store).body == "accepted")
    }
}

/// A request during the life of a gateway, and its error.
private final class Repetition: Service {
    let error = Mutex<StoreError?>(nil)
    private let ask: @Sendable () async throws -> FunctionResponse

    init(ask: @escaping @Sendable () async throws -> FunctionResponse) { self.ask = ask }

    func run() async throws {
        do {
            _ = try await ask()
        } catch let error as StoreError {
            self.error.withLock { $0 = error }
        }
        try await gracefulShutdown()
    }
}
