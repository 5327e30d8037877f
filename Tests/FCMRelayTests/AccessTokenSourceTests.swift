import DocumentStore
import Logging
import Synchronization
import TestDoubles
import Testing

@testable import FCMRelay

@Suite("The source of access tokens", .timeLimit(.minutes(10)))
struct AccessTokenSourceTests {
    private let clock = ManualClock()
    private let log = CollectedLog()
    private let endpoint = Endpoint()

    private var source: AccessTokenSource {
        AccessTokenSource(
            now: { [clock] in clock.timestamp.seconds }, logger: log.logger,
            fetch: { [clock, endpoint] () async throws(AccessTokenError) in
                try await endpoint.fetch(at: clock.timestamp.seconds)
            })
    }

    @Test("50 concurrent callers cause one fetch and get the same access token")
    func concurrent() async throws {
        let source = source
        endpoint.gate = Gate()
        let tokens = try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<50 { tasks.addTask { try await source.token().value } }
            try await eventually("49 callers wait for one fetch") { source.waiterCount == 49 && endpoint.count == 1 }
            endpoint.gate?.open()
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["token-1"])
        #expect(endpoint.count == 1)
    }

    @Test("50 concurrent callers with the same refused access token cause one more fetch")
    func concurrentRefusals() async throws {
        let source = source
        let old = try await source.token()
        endpoint.gate = Gate()
        let tokens = try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<50 { tasks.addTask { try await source.token(insteadOf: old).value } }
            try await eventually("49 callers wait for one fetch") { source.waiterCount == 49 && endpoint.count == 2 }
            endpoint.gate?.open()
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["token-2"])
        #expect(endpoint.count == 2)
        #expect(log.lines.count { $0.contains("fetching a new access token") } == 1)
    }

    @Test("An access token is reused until five minutes before its end")
    func kept() async throws {
        let source = source
        #expect(try await source.token().value == "token-1")
        clock.advance(by: .seconds(3_299))
        #expect(try await source.token().value == "token-1")
        clock.advance(by: .seconds(1))
        #expect(try await source.token().value == "token-2")
        #expect(endpoint.count == 2)
    }

    @Test("A failed fetch fails all waiting callers, and no fetch starts before the back-off ends")
    func failure() async throws {
        let source = source
        endpoint.gate = Gate()
        endpoint.error = AccessTokenError(kind: .refused, reason: "invalid_grant")
        let told = AccessTokenError(kind: .refused, reason: "invalid_grant", retryAfter: .seconds(5))
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<10 {
                tasks.addTask { await #expect(throws: told) { try await source.token() } }
            }
            let all = await eventually { source.waiterCount == 9 }
            #expect(all)
            endpoint.gate?.open()
        }
        await #expect(throws: told) { try await source.token() }
        #expect(endpoint.count == 1)
        clock.advance(by: .seconds(5))
        endpoint.error = nil
        #expect(try await source.token().value == "token-2")
    }

    @Test("Another caller fetches if the fetching caller is cancelled")
    func cancellation() async throws {
        let source = source
        endpoint.gate = Gate()
        let first = Task { try await source.token() }
        try await eventually("the first fetches") { endpoint.count == 1 }
        async let second = source.token()
        try await eventually("the second waits") { source.waiterCount == 1 }
        first.cancel()
        try await eventually("the second fetches") { endpoint.count == 2 }
        endpoint.gate?.open()
        #expect(try await second.value == "token-2")
        await #expect(throws: AccessTokenError(kind: .cancelled, reason: "cancelled")) { try await first.value }
    }

    @Test("An endpoint that returns the refused access token again is not asked a third time")
    func sameTokenAgain() async throws {
        let source = source
        endpoint.isStubborn = true
        let old = try await source.token()
        #expect(try await source.token(insteadOf: old).value == old.value)
        #expect(endpoint.count == 2)
    }
}

/// A scripted token endpoint that gives `token-1`, `token-2`, …, each for an hour.
private final class Endpoint: Sendable {
    private struct State {
        var count = 0
        var gate: Gate?
        var error: AccessTokenError?
        var isStubborn = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.count) }

    /// A gate that holds each fetch until it opens or the fetching task is cancelled.
    var gate: Gate? {
        get { state.withLock(\.gate) }
        set { state.withLock { $0.gate = newValue } }
    }

    /// The error that each fetch throws, if any.
    var error: AccessTokenError? {
        get { state.withLock(\.error) }
        set { state.withLock { $0.error = newValue } }
    }

    /// `true` if the endpoint always gives the same token.
    var isStubborn: Bool {
        get { state.withLock(\.isStubborn) }
        set { state.withLock { $0.isStubborn = newValue } }
    }

    func fetch(at time: Int64) async throws(AccessTokenError) -> AccessToken {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        await gate?.pass()
        if Task.isCancelled { throw AccessTokenError(kind: .cancelled, reason: "cancelled") }
        if let error { throw error }
        return AccessToken(value: "token-\(isStubborn ? 1 : number)", issuedAt: time, lifetime: 3_600)
    }
}
