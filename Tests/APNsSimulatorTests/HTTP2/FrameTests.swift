import APNsSimulator
import NIOHTTP2
import Testing

@Suite("HTTP/2 frames of the simulator", .timeLimit(.minutes(10)))
struct FrameTests {
    @Test("An answer ends with its HEADERS frame if it has no body, or with its DATA frame")
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

    @Test("A body too large for any payload is refused before its end, and its stream closed with NO_ERROR")
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

    @Test("A request with a wrong content-length has its stream reset, and the connection goes on")
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

    @Test("A connection carries more than its flow-control window, as the window is extended")
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

    @Test("A delayed answer is dropped if the client resets the stream")
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
