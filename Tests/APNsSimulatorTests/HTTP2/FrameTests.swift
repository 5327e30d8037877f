import APNsSimulator
import NIOHTTP2
import Testing

@Suite("Frames", .timeLimit(.minutes(1)))
struct FrameTests {
    @Test("An answer without a body ends with its HEADERS frame, one with a body with its DATA frame")
    func endOfStream() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let frames = try await fixture.withFrames { client, frames in
                try await client.push(on: 1)
                var seen = try await frames.onStreams(1)
                try await client.push(on: 3, ["apns-topic": nil])
                seen += try await frames.onStreams(2)
                return seen
            }
            #expect(
                frames == [
                    "HEADERS 200 END_STREAM", "HEADERS 400", #"DATA {"reason":"MissingTopic"} END_STREAM"#,
                ])
        }
    }

    @Test("A body that no payload can have is refused before it ends, and the stream closed without blame")
    func tooLarge() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let frames = try await fixture.withFrames { client, frames in
                try await client.sendHead(on: 1)
                try await client.sendBody(String(repeating: "x", count: 5000), on: 1, endStream: false)
                try await client.sendBody(String(repeating: "x", count: 5000), on: 1, endStream: false)
                let seen = try await frames.onStreams(3)
                try await client.push(on: 3)
                return seen + [try await frames.onStreams(1).joined()]
            }
            #expect(
                frames == [
                    "HEADERS 413", #"DATA {"reason":"PayloadTooLarge"} END_STREAM"#, "RST_STREAM 0",
                    "HEADERS 200 END_STREAM",
                ])
            #expect(fixture.simulator.counters.requestsByReason == ["PayloadTooLarge": 1])
        }
    }

    @Test("A request whose body is not as long as it says has its stream reset, and the connection goes on")
    func streamError() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let frames = try await fixture.withFrames { client, frames in
                try await client.sendHead(on: 1, ["content-length": "3"])
                try await client.sendBody(on: 1)
                let seen = try await frames.onStreams(1)
                try await client.push(on: 3)
                return seen + [try await frames.onStreams(1).joined()]
            }
            #expect(frames == ["RST_STREAM 1", "HEADERS 200 END_STREAM"])
            #expect(fixture.simulator.counters.requests == 1)
        }
    }

    @Test("A connection carries more than its window: the window is opened again in time")
    func connectionWindow() async throws {
        try await RunningSimulatorFixture.run { fixture in
            let body = #"{"a":"\#(String(repeating: "x", count: 4000))"}"#
            try await fixture.withFrames { client, frames in
                for number in 0..<1100 {
                    try await client.sendHead(on: 2 * number + 1)
                    try await client.sendBody(body, on: 2 * number + 1)
                    _ = try await frames.onStreams(1)
                }
            }
            #expect(fixture.simulator.counters.accepted == 1100)
        }
    }

    @Test("An answer that is held back is dropped when the client resets the stream")
    func clientReset() async throws {
        try await RunningSimulatorFixture.run { fixture in
            fixture.simulator.script(token: "ab", answers: [.accepting(after: .seconds(3600))])
            let answered = try await fixture.withFrames { client, frames in
                try await client.push(on: 1)
                try await fixture.simulator.wait(for: 1)
                try await client.send(.rstStream(.cancel), on: 1)
                try await client.push(on: 3, token: "cd")
                return try await frames.first { frame -> Int? in
                    guard case .headers = frame.payload else { return nil }
                    return Int(frame.streamID)
                }
            }
            #expect(answered == 3)
            #expect(fixture.simulator.counters.streamsReset == 1)
            #expect(fixture.simulator.counters.streams == 2)
        }
    }
}
