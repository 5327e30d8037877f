import Testing

@testable import FCMRelay

@Suite("Use and renewal of access tokens")
struct AccessTokenStateTests {
    private let first = AccessToken(value: "first", issuedAt: 10_000, lifetime: 3_600)
    private let second = AccessToken(value: "second", issuedAt: 13_300, lifetime: 3_600)
    private let refusal = AccessTokenError(kind: .refused, reason: "invalid_grant")
    private let silence = AccessTokenError(kind: .unavailable, reason: "timedOut")

    @Test("The first caller fetches the access token, the others wait, and then all use it")
    func oneFetch() {
        var state = AccessTokenState()
        #expect(state.next(at: 10_000) == .fetch)
        #expect(state.next(at: 10_000) == .wait)
        #expect(state.next(at: 10_001) == .wait)
        state.fetched(.success(first), at: 10_001)
        #expect(state.next(at: 10_001) == .use(first))
        #expect(state.next(at: 13_299) == .use(first))
    }

    @Test("Five minutes before an access token ends, one caller renews it and the others still use it")
    func renewal() {
        var state = state(with: first)
        #expect(state.next(at: 13_300) == .fetch)
        #expect(state.next(at: 13_300) == .use(first))
        #expect(state.next(at: 13_599) == .use(first))
        #expect(state.next(at: 13_600) == .wait)
        state.fetched(.success(second), at: 13_600)
        #expect(state.next(at: 13_600) == .use(second))
    }

    @Test("A short-lived access token is renewed in the last quarter of its life")
    func shortLived() {
        var state = state(with: AccessToken(value: "short", issuedAt: 10_000, lifetime: 60))
        #expect(state.next(at: 10_044) == .use(AccessToken(value: "short", issuedAt: 10_000, lifetime: 60)))
        #expect(state.next(at: 10_045) == .fetch)
    }

    @Test("An access token that cannot be renewed is used until its end and not longer")
    func renewalFails() {
        var state = state(with: first)
        #expect(state.next(at: 13_590) == .fetch)
        state.fetched(.failure(refusal), at: 13_590)
        #expect(state.next(at: 13_590) == .use(first))
        #expect(state.next(at: 13_595) == .fetch)
        state.fetched(.failure(refusal), at: 13_595)
        #expect(state.next(at: 13_599) == .use(first))
        #expect(state.next(at: 13_600) == .giveUp(refusal.retrying(after: 5)))
    }

    @Test("A refused access token is not given out again and costs one fetch for all callers")
    func refusedToken() {
        var state = state(with: first)
        #expect(state.next(at: 10_100, insteadOf: first) == .fetch)
        #expect(state.next(at: 10_100, insteadOf: first) == .wait)
        #expect(state.next(at: 10_100) == .wait)
        state.fetched(.success(second), at: 10_100)
        var later = state
        #expect(state.next(at: 13_300, insteadOf: first) == .use(second))
        #expect(later.next(at: 13_300, insteadOf: second) == .fetch)
    }

    @Test("A refused account is not asked for 5 s, then twice as long each time, up to 5 min")
    func backOffWhenRefused() {
        #expect(delays(after: refusal, count: 8) == [5, 10, 20, 40, 80, 160, 300, 300])
    }

    @Test("A token endpoint without an answer is not asked for 1 s, then twice as long each time, up to 1 min")
    func backOffWhenUnavailable() {
        #expect(delays(after: silence, count: 8) == [1, 2, 4, 8, 16, 32, 60, 60])
    }

    @Test("A Retry-After of the token endpoint lengthens the back-off and never shortens it")
    func retryAfter() {
        #expect(delays(after: silence.retrying(after: 90), count: 2) == [90, 90])
        #expect(delays(after: refusal.retrying(after: 1), count: 2) == [5, 10])
    }

    @Test("A caller during the back-off gets the error and the remaining time")
    func giveUp() {
        var state = AccessTokenState()
        #expect(state.next(at: 10_000) == .fetch)
        state.fetched(.failure(refusal), at: 10_000)
        #expect(state.next(at: 10_000) == .giveUp(refusal.retrying(after: 5)))
        #expect(state.next(at: 10_004) == .giveUp(refusal.retrying(after: 1)))
        #expect(state.next(at: 10_005) == .fetch)
    }

    @Test("A successful fetch resets the back-off")
    func success() {
        var state = AccessTokenState()
        for time in [10_000, 10_005] as [Int64] {
            #expect(state.next(at: time) == .fetch)
            state.fetched(.failure(refusal), at: time)
        }
        #expect(state.next(at: 10_015) == .fetch)
        state.fetched(.success(first), at: 10_015)
        #expect(state.next(at: 20_000) == .fetch)
        state.fetched(.failure(refusal), at: 20_000)
        #expect(state.next(at: 20_000) == .giveUp(refusal.retrying(after: 5)))
    }

    @Test("A cancelled fetch causes no back-off")
    func cancelled() {
        var state = AccessTokenState()
        #expect(state.next(at: 10_000) == .fetch)
        state.fetched(.failure(AccessTokenError(kind: .cancelled, reason: "cancelled")), at: 10_000)
        #expect(state.next(at: 10_000) == .fetch)
    }

    @Test("A clock that is set back extends neither an access token's life nor the back-off")
    func clockSetBack() {
        var withToken = state(with: first)
        #expect(withToken.next(at: 9_999) == .fetch)
        var withBackOff = AccessTokenState()
        #expect(withBackOff.next(at: 10_000) == .fetch)
        withBackOff.fetched(.failure(refusal), at: 10_000)
        #expect(withBackOff.next(at: 5_000) == .fetch)
    }

    private func state(with token: AccessToken) -> AccessTokenState {
        var state = AccessTokenState()
        #expect(state.next(at: 10_000) == .fetch)
        state.fetched(.success(token), at: 10_000)
        return state
    }

    /// Returns the back-off in seconds after each of `count` consecutive failures.
    private func delays(after error: AccessTokenError, count: Int) -> [Int64] {
        var state = AccessTokenState()
        var time: Int64 = 10_000
        return (0..<count).map { _ in
            #expect(state.next(at: time) == .fetch)
            state.fetched(.failure(error), at: time)
            let start = time
            while state.next(at: time) != .fetch { time += 1 }
            state.fetched(.failure(AccessTokenError(kind: .cancelled, reason: "cancelled")), at: time)
            return time - start
        }
    }
}

extension AccessTokenError {
    fileprivate func retrying(after seconds: Int64) -> AccessTokenError {
        AccessTokenError(kind: kind, reason: reason, retryAfter: .seconds(seconds))
    }
}
