import HTTP2Client
import NIOCore
import Synchronization
import TestDoubles
import Testing

@Suite("Stream limit of an HTTP/2 server", .timeLimit(.minutes(10)))
struct StreamLimitTests {
    /// The streams of a client, counted against the limit as its server does.
    private struct Streams {
        var limit = 100
        /// The limits that were announced and are not acknowledged yet.
        var announced: [Int] = []
        var open = 0
        var answered = 0
        /// The highest number of open streams for each limit.
        var most: [Int: Int] = [:]
        var violations = 0

        mutating func opened() {
            if open >= limit { violations += 1 }
            open += 1
            most[limit] = max(most[limit] ?? 0, open)
        }
    }

    @Test("A stream limit that SETTINGS lowers and raises again is kept on that connection")
    func changes() async throws {
        let streams = Mutex(Streams())
        let steps = [20: 2, 60: 30]
        let server = try await FrameServer(settings: [.maximumStreams: 100]) { frame, connection in
            if frame.kind == .settings, frame.isAcknowledgement {
                streams.withLock { if !$0.announced.isEmpty { $0.limit = $0.announced.removeFirst() } }
            }
            guard frame.endsRequest else { return }
            streams.withLock { $0.opened() }
            connection.channel.eventLoop.scheduleTask(in: .milliseconds(5)) {
                let limit = streams.withLock { streams in
                    streams.open -= 1
                    streams.answered += 1
                    let limit = steps[streams.answered]
                    if let limit { streams.announced.append(limit) }
                    return limit
                }
                connection.send(.answer(to: frame.stream))
                if let limit { connection.send(.settings([.maximumStreams: UInt32(limit)])) }
            }
        }
        let client = server.client { $0.maximumConnections = 1 }
        // The acknowledgement of the first SETTINGS comes before that of any other.
        #expect(await client.failure(of: server.request()) == nil)
        let request = server.request()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 { group.addTask { #expect(await client.failure(of: request) == nil) } }
        }
        let seen = streams.withLock { $0 }
        #expect(seen.violations == 0 && seen.answered == 201)
        #expect((seen.most[30] ?? 0) > 2 && seen.limit == 30, "\(seen.most)")
        #expect(server.record.connections == 1)
        await server.stop()
    }

    @Test("1,000 concurrent requests share a connection for 1,000 streams, and one more opens another")
    func thousand() async throws {
        let waiting = Mutex<[(stream: UInt32, connection: FrameConnection)]>([])
        let server = try await FrameServer(settings: [.maximumStreams: 1_000]) { frame, connection in
            guard frame.endsRequest else { return }
            // The first request of each connection is answered at once, which proves the connection.
            if frame.stream == 1 { return connection.send(.answer(to: 1)) }
            waiting.withLock { $0.append((frame.stream, connection)) }
        }
        let client = server.client()
        let request = server.request()
        #expect(await client.failure(of: request) == nil)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 { group.addTask { #expect(await client.failure(of: request) == nil) } }
            _ = await eventually { waiting.withLock(\.count) == 1_000 }
            #expect(server.record.connections == 1)
            // Both connections can carry the next request; only the second one can at this moment.
            #expect(await client.failure(of: request) == nil)
            #expect(server.record.connections == 2)
            for (stream, connection) in waiting.withLock({ $0 }) { connection.send(.answer(to: stream)) }
        }
        #expect(server.record.frames(.reset).isEmpty)
        await server.stop()
    }
}
