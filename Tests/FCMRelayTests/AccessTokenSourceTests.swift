import DocumentStore
import Logging
import Synchronization
import TestDoubles
import Testing

@testable import FCMRelay

@Suite("The source of access tokens", .timeLimit(.minutes(1)))
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

    @Test("fifty who come at once cause one fetch, and get the same token")
    func concurrent() async throws {
        let source = source
        endpoint.gate = Gate()
        let tokens = try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<50 { tasks.addTask { try await source.token().value } }
            try await eventually("49 wait for one") { source.waiterCount == 49 && endpoint.count == 1 }
            endpoint.gate?.open()
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["token-1"])
        #expect(endpoint.count == 1)
    }

    @Test("fifty who come with the same refused token cause one more")
    func concurrentRefusals() async throws {
        let source = source
        let old = try await source.token()
        endpoint.gate = Gate()
        let tokens = try await withThrowingTaskGroup(of: String.self) { tasks in
            for _ in 0..<50 { tasks.addTask { try await source.token(insteadOf: old).value } }
            try await eventually("49 wait for one") { source.waiterCount == 49 && endpoint.count == 2 }
            endpoint.gate?.open()
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["token-2"])
        #expect(endpoint.count == 2)
        #expect(log.lines.count { $0.contains("does not take the access token") } == 1)
    }

    @Test("a token is kept until shortly before its end")
    func kept() async throws {
        let source = source
        #expect(try await source.token().value == "token-1")
        clock.advance(by: .seconds(3_299))
        #expect(try await source.token().value == "token-1")
        clock.advance(by: .seconds(1))
        #expect(try await source.token().value == "token-2")
        #expect(endpoint.count == 2)
    }

    @Test("those who wait are told what went wrong too, and nobody asks again before its time")
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

    @Test("when the one who fetches is cancelled, another goes on")
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

    @Test("an endpoint that gives out the refused token again is not asked forever")
    func sameTokenAgain() async throws {
        let source = source
        endpoint.isStubborn = true
        let old = try await source.token()
        #expect(try await source.token(insteadOf: old).value == old.value)
        #expect(endpoint.count == 2)
    }
}

/// A token endpoint as a test wants it: `token-1`, `token-2`, …, each for an hour.
private final class Endpoint: Sendable {
    private struct State {
        var count = 0
        var gate: Gate?
        var error: AccessTokenError?
        var isStubborn = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.count) }

    /// Before which a fetch stands until it is opened, or the one who fetches is cancelled.
    var gate: Gate? {
        get { state.withLock(\.gate) }
        set { state.withLock { $0.gate = newValue } }
    }

    /// What a fetch fails with.
    var error: AccessTokenError? {
        get { state.withLock(\.error) }
        set { state.withLock { $0.error = newValue } }
    }

    /// Whether all its tokens are one and the same.
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
