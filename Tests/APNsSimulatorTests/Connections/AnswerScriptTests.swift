import APNsSimulator
import Foundation
import HTTPClient
import JSON
import Testing

@Suite("Simulator answers that depend on the connection", .timeLimit(.minutes(10)))
struct AnswerScriptTests {
    /// Returns the statuses of pushes with the given `authorization` values, one after another on a new connection.
    private func statuses(_ fixture: RunningSimulatorFixture, _ authorizations: [String]) async throws -> [String] {
        try await fixture.withFrames { client, frames in
            var statuses: [String] = []
            for (number, authorization) in authorizations.enumerated() {
                try await client.push(on: 2 * number + 1, ["authorization": authorization])
                let answer = try await frames.first { $0.numberedSummary?.contains("HEADERS") == true ? $0 : nil }
                statuses.append(String(answer?.summary.dropFirst(8).prefix(3) ?? "none"))
            }
            return statuses
        }
    }

    private func authorizations(_ count: Int, _ fixture: RunningSimulatorFixture) throws -> [String] {
        let now = Int64(APNsSimulatorConfiguration().now().timeIntervalSince1970)
        let key = try SigningKey(of: fixture.addresses)
        return try (0..<count).map { try key.authorization(issuedAt: .integer(now - Int64($0))) }
    }

    @Test("A scripted ExpiredProviderToken stays with its connection for every token, and not with another one")
    func expired() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with { $0.providerTokenExpiry = ProviderTokenExpiry() }]
        } body: { fixture in
            fixture.simulator.script(
                token: nil, answers: [.accepting(after: .zero), .rejecting(.expiredProviderToken)])
            let tokens = try authorizations(4, fixture)
            #expect(try await statuses(fixture, tokens) == ["200", "403", "403", "403"])
            #expect(try await statuses(fixture, tokens) == ["200", "200", "200", "200"])
            #expect(fixture.simulator.counters.requestsByReason == ["ExpiredProviderToken": 3])
            #expect(fixture.simulator.counters.distinctProviderTokens == 4)
        }
    }

    @Test("A connection without a script recovers from ExpiredProviderToken")
    func recovers() async throws {
        try await RunningSimulatorFixture.run { fixture in
            fixture.simulator.script(token: nil, answers: [.rejecting(.expiredProviderToken)])
            let statuses = try await statuses(fixture, authorizations(2, fixture))
            #expect(statuses == ["403", "200"])
        }
    }

    @Test("A connection with too many provider tokens answers 429 to new ones, and still accepts the first")
    func tooManyTokens() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with { $0.maximumProviderTokens = 2 }]
        } body: { fixture in
            let tokens = try authorizations(3, fixture)
            #expect(try await statuses(fixture, tokens + tokens.prefix(1)) == ["200", "200", "429", "200"])
            #expect(fixture.simulator.counters.requestsByReason == ["TooManyProviderTokenUpdates": 1])
            #expect(try await statuses(fixture, [tokens[2]]) == ["200"])
        }
    }

    @Test("An answer takes the scripted latency of its connection")
    func latency() async throws {
        try await RunningSimulatorFixture.runWithSender {
            $0.connections = [.with { $0.latency = AnswerLatency(.oneOf([.milliseconds(60), .milliseconds(80)])) }]
        } body: { fixture, sender in
            for _ in 0..<3 {
                let duration = try await sender.push(to: "ab").duration
                #expect(duration >= .milliseconds(60))
            }
            #expect(fixture.simulator.counters.accepted == 3)
        }
    }
}
