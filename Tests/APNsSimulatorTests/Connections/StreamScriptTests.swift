import APNsSimulator
import NIOHTTP2
import Testing

@Suite("Simulator streams that are refused or reset", .timeLimit(.minutes(10)))
struct StreamScriptTests {
    @Test("A stream above a lowered limit is refused unprocessed, until the limit is raised")
    func streamLimits() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [
                .with { $0.streamLimits = [.init(afterRequests: 2, limit: 1), .init(afterRequests: 4, limit: 1000)] }
            ]
        } body: { fixture in
            fixture.simulator.script(token: "aa", answers: [.accepting(after: .seconds(3600))])
            let seen = try await fixture.withFrames { client, frames in
                let held = [client.head(on: 1, token: "aa"), client.body(on: 1)]
                try await client.send(held + [3, 5, 7].flatMap { [client.head(on: $0), client.body(on: $0)] })
                let seen = try await frames.withLimits(6)
                try await client.push(on: 9)
                return try await seen + frames.withLimits(1)
            }
            #expect(
                seen == [
                    "limit 1000", "limit 1", "5: RST_STREAM 7", "7: RST_STREAM 7", "limit 1000",
                    "3: HEADERS 200 END_STREAM", "9: HEADERS 200 END_STREAM",
                ])
            #expect(fixture.simulator.counters.streamsRefused == 2)
            #expect(fixture.simulator.counters.requests == 3)
            #expect(fixture.simulator.counters.streamsReset == 0)
        }
    }

    /// Pushes three times in sequence, the last time with the second push's id, and returns the frames of the answers.
    private func threePushes(_ fixture: RunningSimulatorFixture) async throws -> [String] {
        try await fixture.withFrames { client, frames in
            var seen: [String] = []
            for stream in [1, 3, 5] {
                let id = stream == 1 ? UUIDs.first : UUIDs.second
                try await client.push(on: stream, ["apns-id": id])
                seen += try await frames.onStreams(1)
            }
            return seen
        }
    }

    @Test("A scripted refusal of every second request leaves it unprocessed, and it can be sent again")
    func refusals() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with { $0.refusesEvery = 2 }]
        } body: { fixture in
            let seen = try await threePushes(fixture)
            #expect(seen == ["HEADERS 200 END_STREAM", "RST_STREAM 7", "HEADERS 200 END_STREAM"])
            let counters = fixture.simulator.counters
            #expect(counters.streamsRefused == 1)
            #expect(counters.accepted == 2)
            #expect(counters.duplicates == 0)
        }
    }

    @Test("A scripted reset with its own error code replaces the answer", arguments: [false, true])
    func resets(isAccepted: Bool) async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [
                .with { $0.streamReset = .init(every: 2, errorCode: 2, isAccepted: isAccepted) }
            ]
        } body: { fixture in
            let seen = try await threePushes(fixture)
            #expect(seen == ["HEADERS 200 END_STREAM", "RST_STREAM 2", "HEADERS 200 END_STREAM"])
            let counters = fixture.simulator.counters
            #expect(counters.streamsAborted == 1)
            #expect(counters.streamsRefused == 0)
            #expect(counters.duplicates == (isAccepted ? 1 : 0))
        }
    }

    @Test("The limit for stream resets can apply to one connection")
    func resetLimiter() async throws {
        try await RunningSimulatorFixture.run {
            $0.connections = [.with(count: 1) { $0.limitsStreamResets = true }]
        } body: { fixture in
            let limited = try await fixture.withFrames { client, frames in
                try await resetStreams(201, client)
                return await frames.untilEnd().frames
            }
            #expect(limited == ["GOAWAY 0 11"])
            let unlimited = try await fixture.withFrames { client, frames in
                try await resetStreams(201, client)
                try await client.push(on: 403)
                return try await frames.onStreams(1)
            }
            #expect(unlimited == ["HEADERS 200 END_STREAM"])
            #expect(fixture.simulator.counters.goAwaysSent == 1)
        }
    }

    private func resetStreams(_ count: Int, _ client: FrameClient) async throws {
        for number in 0..<count {
            try await client.sendHead(on: 2 * number + 1)
            try await client.send(.rstStream(.streamClosed), on: 2 * number + 1)
        }
    }
}

extension FrameClient.Frames {
    /// Returns the summaries of a number of frames: those on streams and those with stream limits.
    fileprivate mutating func withLimits(_ count: Int) async throws -> [String] {
        var seen: [String] = []
        while seen.count < count, let summary = try await first({ $0.streamLimit ?? $0.numberedSummary }) {
            seen.append(summary)
        }
        return seen
    }
}

extension HTTP2Frame {
    fileprivate var streamLimit: String? {
        guard case .settings(.settings(let settings)) = payload else { return nil }
        return settings.last { $0.parameter == .maxConcurrentStreams }.map { "limit \($0.value)" }
    }
}

private enum UUIDs {
    static let first = "eabeae54-14a8-41e5-b60b-1697f925ec7b"
    static let second = "eabeae54-14a8-41e5-b60b-1697f925ec7c"
}
