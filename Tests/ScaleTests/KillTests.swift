import APNsSimulator
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Gateway that is killed", .timeLimit(.minutes(10)))
struct KillTests {
    private static let rounds = 5
    private let tokens = (0..<3).map { _ in String.randomToken() }
    private let secret = String.randomSecret()
    private let ledger = Ledger()

    @Test("A gateway killed at random moments delivers everything it accepted, and repeats have the same id")
    func killed() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                apns.simulator.script(token: nil, answers: [.accepting(after: .milliseconds(100), count: nil)])
                for round in 0..<Self.rounds {
                    try await ServingProcess.running(in: directory, apns.gatewaySettings) { serving in
                        try await triggerUntilKilled(serving, round: round)
                    }
                }
                apns.simulator.clearScript()
                try await ServingProcess.running(in: directory, apns.gatewaySettings) { _ in
                    try await expectEverything(apns.simulator)
                }
            }
        }
    }

    private func triggerUntilKilled(_ serving: ServingProcess, round: Int) async throws {
        let daemon = Daemon(serving.caller, secret: secret)
        let before = ledger.accepted.count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<3 { group.addTask { await trigger(daemon, "\(round)-\(worker)", serving.child) } }
            group.addTask {
                _ = await eventually { ledger.accepted.count > before }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
                serving.child.send(signal: SIGKILL)
            }
            try await group.waitForAll()
        }
        #expect(ledger.accepted.count > before)
        let finished = try await serving.child.finish()
        #expect(finished.isSignalled && finished.exitCode == SIGKILL, "\(finished.errors)")
    }

    /// Registers the devices for one agent after the other, and triggers each once: a second trigger would replace the
    /// first while that waits.
    private func trigger(_ daemon: Daemon, _ name: String, _ child: ChildProcess) async {
        var number = 0
        while child.isRunning {
            number += 1
            let agent = "\(name)-\(number)"
            for (index, token) in tokens.enumerated() {
                _ = try? await daemon.register("phone-\(index)", token: token, cwd: agent)
            }
            let answer = try? await daemon.trigger(cwd: agent, isAsync: true, ["conversation_id": .string(agent)])
            if let answer, answer.status == 200, answer.body["attempted"] == 3 { ledger.accepted(agent) }
        }
    }

    private func expectEverything(_ simulator: APNsSimulator) async throws {
        let expected = ledger.expected(at: tokens)
        var (arrived, missing) = (Arrivals(), expected)
        _ = await eventually {
            arrived.read(simulator)
            missing = expected.subtracting(arrived.ids.keys)
            return missing.isEmpty
        }
        #expect(missing.isEmpty, "\(missing.count) of \(expected.count) were lost")
        #expect(arrived.ids.values.allSatisfy { $0.count == 1 })
        #expect(Set(arrived.ids.values.flatMap { $0 }).count == arrived.ids.count)
        // Every answer is delayed, so a request was always in flight when the gateway was killed.
        #expect(simulator.counters.duplicates > 0)
    }
}
