import Testing

@testable import APNsSimulator

@Suite("Plan of a scripted connection")
struct ScriptedConnectionTests {
    private func plans(
        _ count: Int, openStreams: Int = 0, _ change: (inout ConnectionScript) -> Void
    ) -> [RequestPlan] {
        var connection = ScriptedConnection(.with(change))
        return (0..<count).map { _ in connection.receiveRequest(openStreams: openStreams) }
    }

    private func fates(_ count: Int, _ change: (inout ConnectionScript) -> Void) -> [RequestPlan.Fate] {
        plans(count, change).map(\.fate)
    }

    private let whole = RequestPlan.Fate.process(.whole)

    @Test("A connection without a script processes every request")
    func wellBehaved() {
        #expect(plans(3) { _ in } == [RequestPlan(), RequestPlan(), RequestPlan()])
    }

    @Test("A connection refuses every second request and resets every third, as scripted")
    func everySo() {
        let fates = fates(6) {
            $0.refusesEvery = 2
            $0.streamReset = ScriptedStreamReset(every: 3, errorCode: 11)
        }
        #expect(fates == [whole, .reset(7), .reset(11), .reset(7), whole, .reset(7)])
    }

    @Test("A scripted reset may replace the answer to an accepted request")
    func acceptedReset() {
        let fates = fates(2) { $0.streamReset = ScriptedStreamReset(every: 2, isAccepted: true) }
        #expect(fates == [whole, .process(.replacedByReset(2))])
    }

    @Test("A script interval of 0 or less never applies", arguments: [0, -1])
    func noInterval(interval: Int) {
        #expect(fates(3) { $0.refusesEvery = interval } == [whole, whole, whole])
    }

    @Test("A lowered stream limit applies from the next request until it is raised")
    func streamLimits() {
        let plans = plans(4, openStreams: 2) {
            $0.streamLimits = [.init(afterRequests: 1, limit: 2), .init(afterRequests: 3, limit: 3)]
        }
        #expect(plans.map(\.fate) == [whole, .reset(7), .reset(7), whole])
        #expect(plans.map(\.streamLimit) == [2, nil, 3, nil])
    }

    @Test("A lowered stream limit leaves room up to its value")
    func roomUnderLimit() {
        let plans = plans(2, openStreams: 1) { $0.streamLimits = [.init(afterRequests: 1, limit: 2)] }
        #expect(plans.map(\.fate) == [whole, whole])
    }

    @Test("GOAWAY is sent with its request, which is processed unless it is left out")
    func goAway() {
        let polite = plans(2) { $0.goAway = ScriptedGoAway(afterRequests: 2) }
        #expect(polite.map(\.goAway?.reason) == [nil, "Shutdown"])
        #expect(polite.map(\.fate) == [whole, whole])
        #expect(fates(2) { $0.goAway = .init(afterRequests: 2, leavesOutLast: true) } == [whole, .leaveOut])
    }

    @Test("A connection stalls or breaks at the request after its number")
    func ends() {
        #expect(fates(3) { $0.stallsAfter = 1 } == [whole, .stall, .stall])
        #expect(fates(2) { $0.breakage = .init(afterRequests: 1, kind: .close) } == [whole, .break(.close)])
        #expect(
            fates(2) { $0.breakage = .init(afterRequests: 1, isInAnswer: true) } == [whole, .process(.cutOff(.reset))])
        #expect(fates(1) { $0.stallsAfter = 0 } == [.stall])
    }

    @Test("The most severe of several scripted ends applies")
    func precedence() {
        let fates = fates(1) {
            $0.stallsAfter = 0
            $0.breakage = ConnectionBreakage(afterRequests: 0)
            $0.refusesEvery = 1
        }
        #expect(fates == [.stall])
    }
}
