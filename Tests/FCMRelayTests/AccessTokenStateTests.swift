import Testing

@testable import FCMRelay

@Suite("Which access token to use, and when to fetch another")
struct AccessTokenStateTests {
    private let first = AccessToken(value: "first", issuedAt: 10_000, lifetime: 3_600)
    private let second = AccessToken(value: "second", issuedAt: 13_300, lifetime: 3_600)
    private let refusal = AccessTokenError(kind: .refused, reason: "invalid_grant")
    private let silence = AccessTokenError(kind: .unavailable, reason: "timedOut")

    @Test("the first who comes fetches, the others wait, and then all use it")
    func oneFetch() {
        var state = AccessTokenState()
        #expect(state.next(at: 10_000) == .fetch)
        #expect(state.next(at: 10_000) == .wait)
        #expect(state.next(at: 10_001) == .wait)
        state.fetched(.success(first), at: 10_001)
        #expect(state.next(at: 10_001) == .use(first))
        #expect(state.next(at: 13_299) == .use(first))
    }

    @Test("five minutes before its end it is renewed by one, while the others go on with it")
    func renewal() {
        var state = state(with: first)
        #expect(state.next(at: 13_300) == .fetch)
        #expect(state.next(at: 13_300) == .use(first))
        #expect(state.next(at: 13_599) == .use(first))
        #expect(state.next(at: 13_600) == .wait)
        state.fetched(.success(second), at: 13_600)
        #expect(state.next(at: 13_600) == .use(second))
    }

    @Test("a short-lived one is renewed in the last quarter of its life")
    func shortLived() {
        var state = state(with: AccessToken(value: "short", issuedAt: 10_000, lifetime: 60))
        #expect(state.next(at: 10_044) == .use(AccessToken(value: "short", issuedAt: 10_000, lifetime: 60)))
        #expect(state.next(at: 10_045) == .fetch)
    }

    @Test("while it cannot be renewed it is used to its end, and not beyond")
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

    @Test("a token that was refused is not handed out again, and costs one fetch however many come with it")
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

    @Test("a refused account is left alone for 5 s, then for twice as long each time, up to 5 min")
    func backOffWhenRefused() {
        #expect(delays(after: refusal, count: 8) == [5, 10, 20, 40, 80, 160, 300, 300])
    }

    @Test("an endpoint that does not answer is left alone for 1 s, then for twice as long each time, up to 1 min")
    func backOffWhenUnavailable() {
        #expect(delays(after: silence, count: 8) == [1, 2, 4, 8, 16, 32, 60, 60])
    }

    @Test("longer, when the endpoint asks for it; not shorter")
    func retryAfter() {
        #expect(delays(after: silence.retrying(after: 90), count: 2) == [90, 90])
        #expect(delays(after: refusal.retrying(after: 1), count: 2) == [5, 10])
    }

    @Test("who comes while it is left alone is told why, and how much longer it will be")
    func giveUp() {
        var state = AccessTokenState()
        #expect(state.next(at: 10_000) == .fetch)
        state.fetched(.failure(refusal), at: 10_000)
        #expect(state.next(at: 10_000) == .giveUp(refusal.retrying(after: 5)))
        #expect(state.next(at: 10_004) == .giveUp(refusal.retrying(after: 1)))
        #expect(state.next(at: 10_005) == .fetch)
    }

    @Test("a success ends the doubling")
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

    @Test("who cancelled says nothing about the account: the next one fetches at once")
    func cancelled() {
        var state = AccessTokenState()
        #expect(state.next(at: 10_000) == .fetch)
        state.fetched(.failure(AccessTokenError(kind: .cancelled, reason: "cancelled")), at: 10_000)
        #expect(state.next(at: 10_000) == .fetch)
    }

    @Test("a clock that is set back neither prolongs a token's life nor the time of leaving alone")
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

    /// How long it is left alone after each of so many failures in a row.
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
