import HTTP2Client
import TestDoubles
import Testing

/// Tests over sockets with short intervals. The answer to PING may take a second, which a busy machine needs.
@Suite("Silent HTTP/2 server", .timeLimit(.minutes(10)))
struct SilenceTests {
    @Test("An idle connection is sent a PING after each interval, and stays in use")
    func idle() async throws {
        let server = try await FrameServer()
        let client = server.client { $0.idlePingInterval = .milliseconds(50) }
        #expect(await client.failure(of: server.request()) == nil)
        try await eventually("two PINGs arrive") { server.record.frames(.ping).count >= 2 }
        #expect(await client.failure(of: server.request()) == nil)
        #expect(server.record.connections == 1 && server.record.closed == 0)
        await server.stop()
    }

    @Test("A connection in use is sent no PING")
    func busy() async throws {
        let server = try await FrameServer()
        let client = server.client()
        for _ in 0..<20 { #expect(await client.failure(of: server.request()) == nil) }
        #expect(server.record.frames(.ping).isEmpty)
        await server.stop()
    }

    @Test("An idle connection to a dead server is closed, and the next request opens another")
    func deadIdle() async throws {
        let server = try await FrameServer()
        let client = server.client {
            $0.idlePingInterval = .milliseconds(50)
            $0.silencePatience = .seconds(1)
        }
        #expect(await client.failure(of: server.request()) == nil)
        server.record.isSilent = true
        try await eventually("the connection is closed") { server.record.closed == 1 }
        server.record.isSilent = false
        #expect(await client.failure(of: server.request()) == nil)
        #expect(server.record.connections == 2)
        await server.stop()
    }

    @Test("Requests to a dead server fail long before their deadline")
    func deadBusy() async throws {
        let server = try await FrameServer()
        let client = server.client { $0.silencePatience = .seconds(1) }
        #expect(await client.failure(of: server.request()) == nil)
        server.record.isSilent = true
        let request = server.request(deadline: .seconds(600))
        async let other = client.failure(of: request)
        let error = await client.failure(of: request)
        #expect(error?.kind == .connectionLost && error?.isUnprocessed == false)
        #expect(error?.message == "the server did not answer PING")
        #expect(await other?.kind == .connectionLost)
        #expect(!server.record.frames(.ping).isEmpty)
        server.record.isSilent = false
        #expect(await client.failure(of: server.request()) == nil)
        #expect(server.record.connections == 2)
        await server.stop()
    }

    @Test("A server that answers only PING keeps its connection until a request is late")
    func wedged() async throws {
        let server = try await FrameServer { frame, connection in
            // The first connection answers its first request only.
            guard frame.endsRequest, connection.number > 1 || frame.stream == 1 else { return }
            connection.send(.answer(to: frame.stream))
        }
        let client = server.client { $0.silencePatience = .seconds(1) }
        #expect(await client.failure(of: server.request()) == nil)
        #expect(await client.failure(of: server.request(deadline: .seconds(4)))?.kind == .timedOut)
        #expect(server.record.frames(.ping).allSatisfy { $0.connection == 1 } && !server.record.frames(.ping).isEmpty)
        #expect(await client.failure(of: server.request()) == nil)
        #expect(server.record.connections == 2)
        await server.stop()
    }
}
