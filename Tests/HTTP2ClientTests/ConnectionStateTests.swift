import NIOCore
import Testing

@testable import HTTP2Client

@Suite("What a connection may carry")
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

    @Test("A first answer is late after the time that others wait for it, and not before")
    func patience() {
        var state = state()
        #expect(!state.isDoubtful(at: start + .seconds(9)))
        state.started(at: start)
        #expect(!state.isDoubtful(at: start + .milliseconds(499)))
        #expect(state.isDoubtful(at: start + .milliseconds(500)))
        state.answered(isGood: true, at: start + .seconds(1))
        state.started(at: start + .seconds(1))
        #expect(!state.isDoubtful(at: start + .seconds(9)))
    }

    @Test("The server's limit holds when it is lower, and rises again with it")
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

    @Test("A connection on which nothing was answered since a late request began takes no more")
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

    @Test("A server that is silent while a request waits is asked for a sign of life, and dead without one")
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

    @Test("An idle connection is asked for a sign of life each hour")
    func idle() {
        var state = state()
        for hour in 1...3 {
            let time = start + .hours(Int64(hour))
            #expect(state.check(at: time, patience: .seconds(5), idleTime: .hours(1)) == .wantsPing)
            state.heard(at: time)
        }
    }

    @Test("A request that asks for a new connection takes one that has answered nothing, or is younger than it")
    func newness() {
        var state = state()
        #expect(state.isNew(for: start + .seconds(1)))
        state.started(at: start)
        state.answered(isGood: true, at: start)
        #expect(!state.isNew(for: start + .seconds(1)) && state.isNew(for: start))
    }
}
