import HTTP2Client
import Synchronization
import TestDoubles
import Testing

@Suite("Flow control of HTTP/2", .timeLimit(.minutes(10)))
struct WindowTests {
    @Test("A request's body waits for the server's window, and continues when it opens")
    func requestBody() async throws {
        let received = Mutex<[Int]>([])
        let server = try await FrameServer(settings: [.initialWindow: 10]) { frame, connection in
            guard frame.kind == .data else { return }
            received.withLock { $0.append(frame.payload.count) }
            if frame.endsRequest { return connection.send(.answer(to: frame.stream)) }
            connection.send(.windowUpdate(10, of: frame.stream))
        }
        let client = server.client()
        // The body of the first request may leave before the server's first SETTINGS arrive.
        #expect(await client.failure(of: server.request(body: 1)) == nil)
        received.withLock { $0 = [] }
        #expect(await client.failure(of: server.request(body: 105)) == nil)
        let parts = received.withLock { $0 }
        #expect(parts.reduce(0, +) == 105 && parts.allSatisfy { $0 <= 10 })
        await server.stop()
    }

    @Test("An answer longer than the windows arrives completely")
    func answerBody() async throws {
        // The windows of the connection and of the stream (RFC 9113 §6.9.2), which the first 65,535 bytes use up.
        let isOver = Atomic(false)
        let server = try await FrameServer { frame, connection in
            if frame.endsRequest {
                connection.send(.answer(to: frame.stream, hasBody: true))
                for _ in 0..<5 { connection.send(.body(13_107, of: frame.stream, isLast: false)) }
            } else if frame.kind == .windowUpdate, frame.stream > 0,
                !isOver.exchange(true, ordering: .sequentiallyConsistent)
            {
                connection.send(.body(1_000, of: frame.stream, isLast: true))
            }
        }
        let response = try await server.client().execute(server.request())
        #expect(response.statusCode == 200 && response.body.count == 66_535)
        #expect(server.record.frames(.windowUpdate).contains { $0.frame.stream == 0 })
        await server.stop()
    }
}
