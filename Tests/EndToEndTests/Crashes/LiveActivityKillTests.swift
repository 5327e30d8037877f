import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import Synchronization
import TestDoubles
import TestSupport
import Testing

@Suite("Live Activities of a gateway that is killed", .timeLimit(.minutes(15)))
struct LiveActivityKillTests {
    private static let rounds = 8
    private static let key = "a-key-of-this-test-0001"
    private static let settings = [
        "functions.runs.enabled": "true", "functions.runs.apiKeys": key, "liveActivities.updateInterval": "1ms",
        "liveActivities.linger": "1s", "liveActivities.creationLimit": "2s",
    ]

    private let attempted = Attempts()

    /// Returns the answer to a request of the runs' server; `nil` if the gateway was killed.
    private func report(_ caller: Caller, _ run: String, _ type: String, _ text: String) async -> Answer? {
        let data: JSONValue = ["repo_name": "my-repo", "text": .string(text)]
        let body: JSONValue = [
            "id": .string("\(run)-\(text)"), "run_id": .string(run), "type": .string(type), "data": data,
        ]
        return try? await caller.send(
            .post, "/api/events", headerFields: [.authorization: "Bearer \(Self.key)"], body: body.serialized)
    }

    @Test("A gateway killed around the creation, use and deletion of channels leaves none, and ends all cards")
    func killed() async throws {
        try await withSimulator { apns in
            let phone = SimulatedPhone(bundleID: RunningSimulator.bundleID, pushToStartToken: .randomToken())
            apns.simulator.connect(phone)
            // Each request is in flight for a while, so that kills come between its effect and its answer.
            apns.simulator.script(token: nil, answers: [.accepting(after: .milliseconds(60), count: nil)])
            let settings = apns.gatewaySettings.merging(Self.settings) { $1 }
            try await withDataDirectory { directory in
                for round in 0..<Self.rounds {
                    try await ServingProcess.running(in: directory, settings) { serving in
                        if round == 0 { try await register(phone, at: serving) }
                        try await runUntilKilled(serving, round: round)
                    }
                }
                apns.simulator.clearScript()
                try await ServingProcess.running(in: directory, settings) { serving in
                    for run in attempted.runs {
                        let ended = await report(serving.caller, run, "run_completed", "end")
                        #expect(ended?.status == 202, "\(serving.child.errorText.suffix(2_000))")
                    }
                    try await expectNothingLeft(apns.simulator, phone)
                }
            }
        }
    }

    private func register(_ phone: SimulatedPhone, at serving: ServingProcess) async throws {
        let body: JSONValue = [
            "token": .string(.randomToken()), "platform": "ios",
            "live_activity": ["push_to_start_token": .string(phone.pushToStartToken)],
        ]
        let answer = try await serving.caller.send(
            .post, "/api/devices", headerFields: [.authorization: "Bearer \(Self.key)"], body: body.serialized)
        #expect(answer.status == 201)
    }

    /// Starts runs, reports their progress, and ends half of them, until the process is killed.
    private func runUntilKilled(_ serving: ServingProcess, round: Int) async throws {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<3 {
                group.addTask {
                    var number = 0
                    while serving.child.isRunning {
                        number += 1
                        let run = "run-\(round)-\(worker)-\(number)"
                        attempted.add(run)
                        for (type, text) in [("run_started", "start"), ("run_progress", "more")] {
                            _ = await report(serving.caller, run, type, text)
                        }
                        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
                        if number % 2 == 0 { _ = await report(serving.caller, run, "run_completed", "end") }
                    }
                }
            }
            group.addTask {
                try? await Task.sleep(for: .milliseconds(Int.random(in: 100...2_500)))
                serving.child.send(signal: SIGKILL)
            }
        }
        let finished = try await serving.child.finish()
        #expect(finished.isSignalled && finished.exitCode == SIGKILL, "\(finished.errors)")
    }

    private func expectNothingLeft(_ simulator: APNsSimulator, _ phone: SimulatedPhone) async throws {
        try await eventually("all cards end") { phone.cards.allSatisfy(\.isEnded) }
        try await eventually("all channels are deleted") { simulator.channels().isEmpty }
        let cards = phone.cards
        #expect(cards.count >= Self.rounds)
        #expect(cards.allSatisfy { $0.isEnded && $0.dismissal != nil })
        // A start that is repeated after a kill follows the same channel. No other two cards share one.
        let runs = Dictionary(grouping: cards, by: \.channel).values.map { Set($0.map { $0.attributes["run_id"] }) }
        #expect(runs.allSatisfy { $0.count == 1 } && !cards.contains { $0.channel == nil })
        let counters = simulator.counters
        #expect(counters.channelsCreated == counters.channelsDeleted)
    }
}

/// The runs that the gateways were told of, or would have been.
private final class Attempts: Sendable {
    private let all = Mutex<[String]>([])

    var runs: [String] { all.withLock { $0 } }

    func add(_ run: String) { all.withLock { $0.append(run) } }
}
