import NIOCore
import Testing

@testable import HTTP2Client

@Suite("Capacity of an HTTP/2 connection")
struct ConnectionStateTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func state(_ streams: Int = 10) -> ConnectionState {
        ConnectionState(streamLimit: streams, patience: .milliseconds(500), now: start)
    }

    @Test("A fresh connection carries one request until one is answered well")
    func trial() {
        var state = state()
        #expect(state.room == 1)
        state.started(at: start)
        #expect(state.room == 0)
        state.answered(isGood: false, at: start)
        #expect(state.room == 1)
        state.started(at: start)
        state.answered(isGood: true, at: start)
        #expect(state.room == 10)
    }

    @Test("A first answer is late after the patience of 500 ms, and not before")
    func patience() {
        var state = state()
        #expect(!state.isSuspect(at: start + .seconds(9)))
        state.started(at: start)
        #expect(!state.isSuspect(at: start + .milliseconds(499)))
        #expect(state.isSuspect(at: start + .milliseconds(500)))
        state.answered(isGood: true, at: start + .seconds(1))
        state.started(at: start + .seconds(1))
        #expect(!state.isSuspect(at: start + .seconds(9)))
    }

    @Test("A lower limit of the server applies, and a raised one up to the client's own limit")
    func serverLimit() {
        var state = state()
        state.started(at: start)
        state.answered(isGood: true, at: start)
        state.serverLimit = 3
        #expect(state.room == 3)
        state.serverLimit = 1_000
        #expect(state.room == 10)
        state.serverLimit = 0
        #expect(state.room == 0)
    }

    @Test("A connection without any answer since a late request started takes no more requests")
    func lateRequest() {
        var (silent, slow) = (state(), state())
        for _ in 0..<2 {
            silent.started(at: start)
            slow.started(at: start)
        }
        slow.answered(isGood: true, at: start + .seconds(1))
        slow.timedOut(startedAt: start)
        #expect(slow.room == 10)
        silent.timedOut(startedAt: start)
        #expect(silent.isRetired && !silent.isFinished)
        silent.abandoned()
        #expect(silent.isFinished)
    }

    @Test("A silent server with a waiting request is sent a PING, and is dead without an answer")
    func silentServer() {
        var state = state()
        func silence(after time: TimeAmount) -> ConnectionState.Silence {
            state.check(at: start + time, patience: .seconds(5), idleTime: .hours(1))
        }
        #expect(silence(after: .seconds(3_599)) == .isShort)
        state.started(at: start + .seconds(3_599))
        #expect(silence(after: .seconds(3_603)) == .isShort)
        #expect(silence(after: .seconds(3_604)) == .wantsPing)
        #expect(silence(after: .seconds(3_608)) == .isShort)
        #expect(silence(after: .seconds(3_609)) == .isDead)
        state.heard(at: start + .seconds(3_609))
        #expect(silence(after: .seconds(3_610)) == .isShort)
    }

    @Test("An idle connection is sent a PING every hour")
    func idle() {
        var state = state()
        for hour in 1...3 {
            let time = start + .hours(Int64(hour))
            #expect(state.check(at: time, patience: .seconds(5), idleTime: .hours(1)) == .wantsPing)
            state.heard(at: time)
        }
    }

    @Test("A request for a new connection takes one without answers, or one younger than the request")
    func newness() {
        var state = state()
        #expect(state.isNew(for: start + .seconds(1)))
        state.started(at: start)
        state.answered(isGood: true, at: start)
        #expect(!state.isNew(for: start + .seconds(1)) && state.isNew(for: start))
    }
}
