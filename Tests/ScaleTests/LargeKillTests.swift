import APNsSimulator
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Gateway that is killed while it sends to 1,700 devices", .timeLimit(.minutes(10)))
struct LargeKillTests {
    /// The numbers of delivered notifications at which the gateway is killed: while the message is cut, read and
    /// settled.
    private static let moments = [1, 400, 900, 1_500]
    private let tokens = (0..<1_700).map { _ in String.randomToken() }
    private let secret = String.randomSecret()
    private let ledger = Ledger()

    @Test("A gateway killed during a broadcast continues, and each device is sent to under one id")
    func killed() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                var arrivals = Arrivals()
                for (round, moment) in Self.moments.enumerated() {
                    try await ServingProcess.running(in: directory, apns.gatewaySettings) { serving in
                        let daemon = Daemon(serving.caller, secret: secret)
                        // An agent of its own: a newer trigger would replace what is left of the one before.
                        try await register(daemon, "round-\(round)")
                        try await trigger(daemon, "round-\(round)", serving.child) {
                            arrivals.read(apns.simulator)
                            return arrivals.ids.keys.count { $0.conversation == "round-\(round)" } >= moment
                        }
                    }
                }
                try await ServingProcess.running(in: directory, apns.gatewaySettings) { _ in
                    await expectEverything(apns.simulator, arrivals)
                }
            }
        }
    }

    private func register(_ daemon: Daemon, _ agent: String) async throws {
        let answers = try await concurrently(Array(tokens.enumerated()), limit: 32) { index, token in
            try await daemon.register("phone-\(index)", token: token, cwd: agent)
        }
        #expect(answers.allSatisfy { $0.status == 200 })
    }

    /// Kills the gateway when enough notifications of a trigger have arrived. A trigger counts as accepted with the
    /// first one.
    private func trigger(
        _ daemon: Daemon, _ conversation: String, _ child: ChildProcess, until isEnough: () -> Bool
    ) async throws {
        async let answer = try? daemon.trigger(
            cwd: conversation, isAsync: true, ["conversation_id": .string(conversation)])
        try await eventually("enough notifications arrive", isEnough)
        child.send(signal: SIGKILL)
        ledger.accepted(conversation)
        _ = await answer
        _ = try await child.finish()
    }

    private func expectEverything(_ simulator: APNsSimulator, _ arrivals: Arrivals) async {
        let expected = ledger.expected(at: tokens)
        var (arrivals, missing) = (arrivals, expected)
        _ = await eventually {
            arrivals.read(simulator)
            missing = expected.subtracting(arrivals.ids.keys)
            return missing.isEmpty
        }
        #expect(missing.isEmpty, "\(missing.count) of \(expected.count) were lost")
        #expect(arrivals.ids.values.allSatisfy { $0.count == 1 })
    }
}
