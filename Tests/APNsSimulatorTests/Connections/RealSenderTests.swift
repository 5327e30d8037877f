import APNsSimulator
import HTTPClient
import JSON
import Testing

@Suite("Real sender on faulty connections", .timeLimit(.minutes(10)))
struct RealSenderTests {
    /// A request that is refused, left out by GOAWAY or above a limit was not processed, so it can be sent again.
    @Test("A request that is sent again because it was not processed is received once")
    func onceOnly() async throws {
        try await RunningSimulatorFixture.runWithSender {
            $0.connections = [
                .with {
                    $0.goAway = ScriptedGoAway(afterRequests: 60, leavesOutLast: true)
                    $0.refusesEvery = 7
                    $0.streamLimits = [.init(afterRequests: 20, limit: 1), .init(afterRequests: 30, limit: 1000)]
                    $0.latency = AnswerLatency(.oneOf([.zero, .milliseconds(1), .milliseconds(3)]), seed: 1)
                }
            ]
        } body: { fixture, sender in
            await withTaskGroup { group in
                for number in 0..<400 {
                    group.addTask { await Self.pushUntilAnswered(number, sender) }
                }
            }
            let counters = fixture.simulator.counters
            #expect(counters.accepted == 400)
            #expect(counters.duplicates == 0)
            #expect(counters.streamsRefused > 0)
            #expect(counters.goAwaysSent > 0)
        }
    }

    private static func pushUntilAnswered(_ number: Int, _ sender: Sender) async {
        let digits = String(number + 1000)
        let id = "eabeae54-14a8-41e5-b60b-16970000" + digits
        while !Task.isCancelled {
            if (try? await sender.push(to: digits, ["aps": ["alert": "Done"]], ["apns-id": id]))?.statusCode == 200 {
                return
            }
        }
    }
}
