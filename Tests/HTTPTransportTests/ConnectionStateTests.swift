import Testing

@testable import HTTPTransport

@Suite("A connection's rules")
struct ConnectionStateTests {
    let start = ContinuousClock.now
    private func later(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func proven(_ version: HTTPVersion = .http2) -> ConnectionState {
        var state = ConnectionState(streamLimit: 100, patience: .seconds(2), now: start)
        state.started(at: start)
        state.answered(version, at: later(1))
        return state
    }

    @Test("a first request that is not answered keeps the others waiting, and after two seconds is doubtful")
    func trial() {
        var state = ConnectionState(streamLimit: 100, patience: .seconds(2), now: start)
        #expect(!state.isDoubtful(at: later(60)))
        state.started(at: start)
        #expect(!state.isDoubtful(at: start + .milliseconds(1_999)))
        #expect(state.isDoubtful(at: later(2)))
        #expect(state.room == 0)
        state.answered(.http2, at: later(3))
        state.started(at: later(3))
        #expect(!state.isDoubtful(at: later(60)))
        #expect(state.room == 99)
    }

    @Test("after a failure it is doubtful again when no answer comes for as long, and not before")
    func trialAfterFailure() {
        var state = proven()
        for _ in 0..<3 { state.started(at: later(1)) }
        state.failed(.connectionLost, startedAt: later(1), at: later(60))
        #expect(!state.isDoubtful(at: later(61)))
        #expect(state.isDoubtful(at: later(62)))
    }

    @Test("it takes one request until that is answered, then as many as the limit")
    func warmUp() {
        var state = ConnectionState(streamLimit: 100, patience: .seconds(2), now: start)
        #expect(state.room == 1)
        state.started(at: start)
        #expect(state.room == 0)
        state.answered(.http2, at: later(1))
        #expect(state.room == 100)
        for _ in 0..<99 { state.started(at: start) }
        #expect(state.room == 1)
        state.started(at: start)
        #expect(state.room == 0)
    }

    @Test("on HTTP/1.1 it stays at one request")
    func http1() {
        var state = proven(.http1)
        #expect(state.room == 1)
        state.started(at: start)
        #expect(state.room == 0)
    }

    @Test(
        "after a failure it takes one request again",
        arguments: [
            HTTPClientError.Kind.connectionLost, .refused, .couldNotConnect, .tls, .other,
        ])
    func failure(kind: HTTPClientError.Kind) {
        var state = proven()
        for _ in 0..<3 { state.started(at: start) }
        state.failed(kind, startedAt: later(2), at: later(3))
        #expect(state.room == 0)
        state.answered(.http2, at: later(4))
        #expect(state.room == 99)
    }

    @Test(
        "a caller's own doing is not held against it", arguments: [HTTPClientError.Kind.cancelled, .responseTooLarge])
    func callersDoing(kind: HTTPClientError.Kind) {
        var state = proven()
        state.started(at: start)
        state.failed(kind, startedAt: later(2), at: later(3))
        #expect(state.room == 100)
        #expect(!state.isRetired)
    }

    @Test("it is given up when a request runs out of time and nothing else was answered meanwhile")
    func silence() {
        var state = proven()
        state.started(at: start)
        state.started(at: start)
        state.failed(.timedOut, startedAt: later(2), at: later(32))
        #expect(state.isRetired)
        #expect(state.room == 0)
        #expect(!state.isFinished)
        state.failed(.timedOut, startedAt: later(3), at: later(33))
        #expect(state.isFinished)
    }

    @Test("one slow answer among others is no reason to give it up")
    func slowness() {
        var state = proven()
        state.started(at: start)
        state.started(at: start)
        state.answered(.http2, at: later(10))
        state.failed(.timedOut, startedAt: later(2), at: later(32))
        #expect(!state.isRetired)
        #expect(state.room == 100)
    }

    @Test("it is idle since its last request ended")
    func idleness() {
        var state = proven()
        #expect(state.idleSince == later(1))
        state.started(at: start)
        state.failed(.cancelled, startedAt: later(5), at: later(7))
        #expect(state.idleSince == later(7))
    }
}
