import Testing

@testable import HTTPClient

@Suite("State of a connection in HTTPClient")
struct ConnectionCapacityTests {
    let start = ContinuousClock.now
    private func later(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private func proven(_ version: HTTPVersion = .http2) -> ConnectionCapacity {
        var state = ConnectionCapacity(streamLimit: 100, patience: .seconds(2), now: start)
        state.started(at: start)
        state.answered(version, at: later(1))
        return state
    }

    @Test("A first request without an answer holds the others, and is suspect after two seconds")
    func trial() {
        var state = ConnectionCapacity(streamLimit: 100, patience: .seconds(2), now: start)
        #expect(!state.isSuspect(at: later(60)))
        state.started(at: start)
        #expect(!state.isSuspect(at: start + .milliseconds(1_999)))
        #expect(state.isSuspect(at: later(2)))
        #expect(state.room == 0)
        state.answered(.http2, at: later(3))
        state.started(at: later(3))
        #expect(!state.isSuspect(at: later(60)))
        #expect(state.room == 99)
    }

    @Test("A connection is suspect again after a failure if no answer follows in two seconds")
    func trialAfterFailure() {
        var state = proven()
        for _ in 0..<3 { state.started(at: later(1)) }
        state.failed(.connectionLost, startedAt: later(1), at: later(60))
        #expect(!state.isSuspect(at: later(61)))
        #expect(state.isSuspect(at: later(62)))
    }

    @Test("A connection takes one request until its answer, and then as many as the limit")
    func warmUp() {
        var state = ConnectionCapacity(streamLimit: 100, patience: .seconds(2), now: start)
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

    @Test("A connection with HTTP/1.1 takes one request at a time")
    func http1() {
        var state = proven(.http1)
        #expect(state.room == 1)
        state.started(at: start)
        #expect(state.room == 0)
    }

    @Test(
        "A connection takes one request at a time again after a failure",
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
        "A cancellation or a too large response does not count against the connection",
        arguments: [HTTPClientError.Kind.cancelled, .responseTooLarge])
    func callersDoing(kind: HTTPClientError.Kind) {
        var state = proven()
        state.started(at: start)
        state.failed(kind, startedAt: later(2), at: later(3))
        #expect(state.room == 100)
        #expect(!state.isRetired)
    }

    @Test("A connection is retired when a request times out and nothing else was answered meanwhile")
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

    @Test("A connection with one slow answer among others is not retired")
    func slowness() {
        var state = proven()
        state.started(at: start)
        state.started(at: start)
        state.answered(.http2, at: later(10))
        state.failed(.timedOut, startedAt: later(2), at: later(32))
        #expect(!state.isRetired)
        #expect(state.room == 100)
    }

    @Test("A connection's idle time starts at the end of its last request")
    func idleness() {
        var state = proven()
        #expect(state.idleSince == later(1))
        state.started(at: start)
        state.failed(.cancelled, startedAt: later(5), at: later(7))
        #expect(state.idleSince == later(7))
    }
}
